export interface DayPart {
  readonly start: string
  readonly end: string
}

export const DAY_MINUTES = 1440
const two = (n: number) => String(n).padStart(2, '0')

/** Minutes after midnight as `HH:mm`. */
export const formatMinuteOfDay = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`

export const parseMinuteOfDay = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

/** Completes a typed time: `630`, `6:30` and `6` become `06:30`, `06:30` and `06:00`. Other texts stay as they are. */
export function completeClock(text: string): string {
  const typed = text.trim().replace('：', ':')
  const [, hour, minute = '0'] = /^(\d{1,2}):?(\d{2})?$/.exec(typed) ?? []
  if (hour === undefined) return typed
  return `${two(Number(hour))}:${two(Number(minute))}`
}

/** Returns a new daypart of one hour that begins after the last daypart. */
export function proposeNextDayPart(parts: readonly DayPart[]): DayPart {
  const last = parts.at(-1)
  const from = last && last.end > last.start ? parseMinuteOfDay(last.end) : 8 * 60
  const start = from + 60 > DAY_MINUTES ? 0 : from
  return { start: formatMinuteOfDay(start), end: formatMinuteOfDay(start + 60) }
}
