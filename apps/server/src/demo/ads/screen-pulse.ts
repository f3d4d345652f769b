import { findSlotAt } from '@oms/contract/advertise/engine/playing.ts'
import { buildTimeline } from '@oms/contract/advertise/engine/timeline.ts'
import type { Services } from '#core/services.ts'

const SELECT = `select s.device_id as id from ad_screens s join devices d on d.id = s.device_id
  where d.deleted_at is null and d.ip like '203.0.113.%' and s.player_token_hash = '' and s.smil_key_hash = ''
    and s.last_report_time > now() - interval '6 hours'`

const UPDATE = `with told as (
    select * from json_to_recordset($1) as t (id int, etag text, files int, playing jsonb)),
  devices_now as (update devices set online = 1, last_online_time = now() from told where devices.id = told.id)
  update ad_screens s set applied_etag = told.etag, total_files = told.files, now_playing = told.playing, playing_time = now(),
    ready_files = case when s.failed = '[]'::jsonb then told.files else greatest(0, told.files - 1) end,
    last_report_time = now()
  from told where s.device_id = told.id`

/** Reports for the demo screens that are not silent: their manifest, their files and what the schedule shows now. */
export async function refreshDemoScreens({ database, fleet, adDelivery }: Services) {
  const { rows } = await database.pool.query<{ id: number }>(SELECT)
  if (rows.length === 0) return 0
  await fleet.ready()
  const now = Date.now()
  const told = rows.flatMap(({ id }) => {
    const slot = fleet.slots.slotOf(id)
    if (slot < 0) return []
    const { etag, files, schedule } = adDelivery.index.manifestOf(slot)
    const { program, item, ad, start } = findSlotAt(buildTimeline(schedule), now)
    const playing = program && item && ad && { programId: program.id, itemId: item.id, adId: ad.id, since: start }
    return [{ id, etag, files: files.size, playing }]
  })
  await database.pool.query(UPDATE, [JSON.stringify(told)])
  return told.length
}
