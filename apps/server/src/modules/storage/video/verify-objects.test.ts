import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, inject, test } from 'vitest'
import { LocalMedia } from '#core/media/local-media.ts'
import { useDatabase } from '#test/fixtures/video-fixture.ts'
import { formatObjectKey } from './segment.ts'
import { checkObjects, markMissingVideos, listRetainedDays } from '../verify.ts'

const database = useDatabase()

test('only stored videos without an object are marked as missing', async () => {
  const media = new LocalMedia(mkdtempSync(join(inject('scratch'), 'media-')))
  const days = ['2026-05-09', '2026-05-10']
  await database.pool.query('select oms_ensure_video_days($1::date[])', [days])
  await database.pool.query(
    `insert into oss_segments (expire_day, device_id, channel, kind, start_ms, duration_ms, bytes, tenant_id, entitlement_id,
       model_id, salt, day, format, record_type)
     select day, n, 0, 1, 1000, 4000, 5, 1, 1, 1, n, day, 1, 1 from unnest($1::date[]) day, generate_series(1, 600) n`,
    [days],
  )
  const key = { expireDay: days[1]!, deviceId: 7, channel: 0, startMs: 1000, salt: 7, format: 1 } as const
  await media.put(formatObjectKey(key), Readable.from([Buffer.from('bytes')]), { bytes: 5, accepts: () => true })
  expect((await checkObjects(database.pool, media)).length).toBeGreaterThanOrEqual(100)
  const mark = async () => markMissingVideos(database.pool, media, await listRetainedDays(database.pool))
  expect(await mark()).toHaveLength(2 * 600 - 1)
  const { rows } = await database.pool.query(
    'select expire_day as day, device_id as device from oss_segments where status = 1',
  )
  expect(rows).toEqual([{ day: days[1], device: 7 }])
  const readStored = async () =>
    (await database.pool.query('select sum(segments)::int as n, sum(bytes)::int as bytes from oss_stored')).rows[0]
  expect(await readStored()).toEqual({ n: 1, bytes: 5 })
  expect(await mark()).toEqual([])
  await database.pool.query('delete from oss_segments where status = 2 and device_id < 10')
  expect(await readStored()).toEqual({ n: 1, bytes: 5 })
  expect(await checkObjects(database.pool, media)).toEqual([])
  await media.close()
})
