import type { Services } from '#core/services.ts'

/** Removes the open pairings of a screen after its player received the token. */
export function removePairings({ database, fleet, log }: Services, slot: number) {
  database.pool
    .query('delete from ad_pairings where device_id = $1', [fleet.slots.ids[slot]!])
    .catch((err: unknown) => log.warn({ err }, 'pairing not removed'))
}
