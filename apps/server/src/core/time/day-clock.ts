import { addDays, formatLocalDay } from './zone.ts'

/** Every zone is a multiple of a quarter of an hour away from UTC. */
const QUARTER_MS = 900_000
const MAX_KEPT = 5000

/** Returns day functions of a time zone. They cache their results, because formatting a time takes microseconds. */
export function createDayClock(zone: string) {
  const days = new Map<number, string>()
  const later = new Map<string, string>()
  return {
    dayOf(ms: number): string {
      const quarter = Math.floor(ms / QUARTER_MS)
      return remembered(days, quarter, () => formatLocalDay(ms, zone))
    },
    dayAfter: (day: string, count: number): string => remembered(later, `${day}+${count}`, () => addDays(day, count)),
  }
}

function remembered<K>(known: Map<K, string>, key: K, make: () => string): string {
  const found = known.get(key)
  if (found !== undefined) return found
  if (known.size >= MAX_KEPT) known.clear()
  const made = make()
  known.set(key, made)
  return made
}
