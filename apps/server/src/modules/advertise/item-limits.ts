import { parseDay } from '@oms/contract/advertise/engine/dates.ts'
import type { ManifestProgram } from '@oms/contract/advertise/engine/manifest.ts'
import { loadZone, type Zone } from '@oms/contract/advertise/engine/zone.ts'
import type { ItemLimit, ProgramBody } from './schema.ts'

/**
 * Converts the limits of the items of a program from wall times of a zone to instants, which manifests contain. Returns
 * the same object when no limit is a wall time.
 */
export function resolveItemLimits(body: ProgramBody, zoneName: string): ManifestProgram {
  if (isResolved(body)) return body
  const zone = loadZone(zoneName)
  const items = body.items.map(({ from, to, ...item }) => ({
    ...item,
    from: toInstant(from, zone.startOf),
    to: toInstant(to, zone.endOf),
  }))
  return { ...body, items }
}

/** True when every limit is an instant or absent, so that the program plays at the same instants in all zones. */
function isResolved(body: ProgramBody): body is ManifestProgram {
  return body.items.every(({ from, to }) => typeof from !== 'string' && typeof to !== 'string')
}

/** Converts a wall time to an instant. `resolve` selects the instant of a wall time that exists twice or not at all. */
function toInstant(limit: ItemLimit, resolve: Zone['startOf']): number | null {
  if (typeof limit !== 'string') return limit
  const [date = '', time = ''] = limit.split(' ')
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return Math.round(resolve(parseDay(date), hours * 60 + minutes + seconds / 60))
}
