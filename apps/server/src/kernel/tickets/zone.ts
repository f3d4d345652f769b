const DAY_MS = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string) {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  formats.set(zone, made)
  return made
}

/** `yyyy-MM-dd HH:mm:ss` of a moment as the clock on the wall shows it. */
export function wallOf(at: Date | number, zone: string): string {
  const parts: Record<string, string> = {}
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = value
  return `${parts['year']}-${parts['month']}-${parts['day']} ${parts['hour']}:${parts['minute']}:${parts['second']}`
}

const utcOf = (wall: string) => Date.parse(`${wall.replace(' ', 'T')}Z`)

/** The moment of a wall-clock time, in milliseconds. One that a change of clocks leaves out is the moment after it. */
export function instantOf(wall: string, zone: string): number {
  const asUtc = utcOf(wall)
  const offset = (at: number) => utcOf(wallOf(at, zone)) - at
  const guess = asUtc - offset(asUtc)
  return asUtc - offset(guess)
}

/** The day so many days later, as text; days know no hours, so clocks do not matter. */
export const dayAfter = (day: string, days = 1) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

/** 1 Monday … 7 Sunday. */
export const weekdayOf = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() || 7
