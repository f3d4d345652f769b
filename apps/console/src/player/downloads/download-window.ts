import { loadZone } from '@oms/contract/advertise/engine/zone.ts'

const MINUTE_MS = 60_000

/** Returns true when the local time is within the window. A window may cross midnight. */
export function isWithinDownloadWindow(
  window: readonly [string, string] | null | undefined,
  zoneName: string,
  now: number,
) {
  if (!window) return true
  const [from, to] = window.map(minuteOf) as [number, number]
  const minute = Math.floor((now + loadZone(zoneName).offsetAt(now)) / MINUTE_MS) % 1440
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to
}

const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
