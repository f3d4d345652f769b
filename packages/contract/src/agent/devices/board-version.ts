/** Matches one to three version parts, each below 1,000. */
const PARTS = /^(\d{1,3})(?:\.(\d{1,3}))?(?:\.(\d{1,3}))?$/

/**
 * Returns the version number of a board's firmware version: `2.0.10` is 2000010. Undefined for a text that is not one
 * to three numbers below 1,000 joined by dots.
 */
export function parseBoardVersion(version: string): number | undefined {
  const [, major, minor = '0', patch = '0'] = PARTS.exec(version) ?? []
  return major === undefined ? undefined : Number(major) * 1_000_000 + Number(minor) * 1000 + Number(patch)
}

/** Returns the text of a version number of a board: 2000010 is `2.0.10`. */
export const formatBoardVersion = (verCode: number) =>
  `${Math.floor(verCode / 1_000_000)}.${Math.floor(verCode / 1000) % 1000}.${verCode % 1000}`
