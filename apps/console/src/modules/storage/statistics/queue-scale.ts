/** Returns a wall-clock text as milliseconds, for distances on a time axis. */
export const parseWallClock = (wall: string) => Date.parse(`${wall.replace(' ', 'T')}Z`)
