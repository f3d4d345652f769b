import type { Services } from '#core/services.ts'

const MAX_KEPT = 100_000
/** UUID of the last request of each screen, so that each player is stored once. */
const lastUuids = new Map<number, string>()

/** `GAPI/1.0 (UUID:…; NAME:…) garlic-linux/v0.6.0 (MODEL:Garlic)`, or `ADAPI/1.0 …` of IAdea. */
const AGENT = /\bUUID:\s*([\w-]{1,64})[^)]*\)\s*([\w./-]{1,40})?/

/**
 * True unless the first player of the screen still uses the address. The files of another player do not count for a new
 * or a returning player. A second player that meets another process loses its files too, because the row has only the UUID
 * of the first player; later plays and requests count again.
 */
const IS_REPLACING = `not (smil_replaced = 0 and smil_uuid in ('', $2))`
const UPDATE = `update ad_screens set smil_uuid = case when smil_uuid = '' then $2 else smil_uuid end,
  smil_replaced = case when smil_uuid in ('', $2) then 0 else 1 end,
  held_media = case when ${IS_REPLACING} then '{}' else held_media end,
  ready_files = case when ${IS_REPLACING} then 0 else ready_files end where device_id = $1`

/**
 * Stores which player uses the address of a screen, and returns its version. The header is not trusted: another player
 * is served too, and the console shows the change of the player.
 */
export function recordPlayer({ database, fleet, log }: Services, slot: number, header: string | undefined): string {
  const [, uuid = '', version = ''] = AGENT.exec((header ?? '').slice(0, 512)) ?? []
  const deviceId = fleet.slots.ids[slot]!
  if (uuid !== '' && lastUuids.get(deviceId) !== uuid) {
    if (lastUuids.size >= MAX_KEPT) lastUuids.clear()
    lastUuids.set(deviceId, uuid)
    database.pool
      .query(UPDATE, [deviceId, uuid])
      .catch((err: unknown) => log.warn({ err }, 'player of a screen not stored'))
  }
  return version
}
