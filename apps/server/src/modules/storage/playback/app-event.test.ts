import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { formatObjectKey } from '../video/segment.ts'
import { useApp } from '#test/harness.ts'
import { usePlayback, FIXTURE_TIME_ZONE } from '#test/fixtures/playback-fixture.ts'

const app = useApp()
const fixture = usePlayback(app)
const PICTURE = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
const DAY = addDays(formatLocalDay(new Date(), FIXTURE_TIME_ZONE), -1)
const at = (clock: string) => Date.parse(`${DAY}T${clock}+08:00`)
type Session = Awaited<ReturnType<typeof fixture.openSession>>
let camera: Awaited<ReturnType<typeof fixture.addCamera>>
let [wang, li]: (Session | undefined)[] = []

interface Event {
  readonly id: number
  readonly picture: string | null
}
const eventsOf = async (who: Session, query = ''): Promise<{ total: number; list: Event[] }> =>
  (await who('GET', `event/page?sn=${camera.sn}&day=${DAY}${query}`)).data
const ids = async (query = '') => (await eventsOf(wang!, query)).list.map(({ id }) => id)

beforeAll(async () => {
  const key = await fixture.addKey(await app.by({ superAdmin: true }))
  camera = await fixture.addCamera(1, await fixture.addAccount(1, 'wang'))
  await fixture.addAccount(1, 'li')
  ;[wang, li] = [await fixture.openSession(key, 'wang'), await fixture.openSession(key, 'li')]
  await fixture.record(camera, { from: at('08:00:00'), count: 3 })
  const expireDay = addDays(DAY, 8)
  const event = (no: number, type: number, start: number, picture: number | null, owner = camera.ownerId) => sql`
    insert into oss_events (expire_day, device_id, channel, event_no, type, start_ms, end_ms, picture_ms, segments, tenant_id, owner_id)
    values (${expireDay}, ${camera.id}, 0, ${no}, ${type}, ${start}, ${start + 8000}, ${picture}, 2, 1, ${owner})`
  await app.db.execute(event(1, 2, at('08:00:04'), null))
  await app.db.execute(event(2, 3, at('08:00:00'), at('08:00:01')))
  await app.db.execute(event(3, 2, at('08:00:00') - 86_400_000, null))
  await app.db.execute(event(4, 2, at('08:00:02'), null, 999))
  const key2 = { expireDay, deviceId: camera.id, channel: 0, startMs: at('08:00:01'), salt: 77, format: 3 } as const
  await app.db.execute(sql`insert into oss_segments (expire_day, device_id, channel, kind, start_ms, duration_ms, bytes,
      tenant_id, owner_id, entitlement_id, model_id, salt, day, format, record_type)
    values (${expireDay}, ${camera.id}, 0, 2, ${key2.startMs}, 0, ${PICTURE.length}, 1, ${camera.ownerId}, 1, 1, 77, ${DAY}, 3, 1)`)
  const { media } = app.services.videos
  if (media.kind !== 'local') throw new Error('the test needs the local store')
  await media.put(formatObjectKey(key2), Readable.from([PICTURE]), { bytes: PICTURE.length, accepts: () => true })
})

test('STORAGE-08 events of a day are listed in order, filtered by type and paged, with the URL of the picture', async () => {
  const { total, list } = await eventsOf(wang!)
  expect([total, list]).toEqual([
    2,
    [
      { id: 2, type: 3, from: at('08:00:00'), to: at('08:00:08'), segments: 2, picture: expect.any(String) },
      { id: 1, type: 2, from: at('08:00:04'), to: at('08:00:12'), segments: 2, picture: null },
    ],
  ])
  expect(await ids('&type=2')).toEqual([1])
  expect(await ids('&pageSize=1&pageNum=2')).toEqual([1])
  const picture = await app.stranger().inject({ method: 'GET', url: list[0]!.picture! })
  expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/jpeg'])
  expect(picture.rawPayload.equals(PICTURE)).toBe(true)
})

test('STORAGE-08 pictures of a day with and without an event are listed in pages', async () => {
  const picturesOf = async (who: Session, query = '') => who('GET', `picture/page?sn=${camera.sn}&day=${DAY}${query}`)
  const expireDay = addDays(DAY, 8)
  await app.db.execute(sql`insert into oss_segments (expire_day, device_id, channel, kind, start_ms, duration_ms, bytes,
      tenant_id, owner_id, entitlement_id, model_id, salt, day, format, record_type)
    values (${expireDay}, ${camera.id}, 0, 2, ${at('09:00:00')}, 0, 10, 1, ${camera.ownerId}, 1, 1, 78, ${DAY}, 3, 1),
      (${expireDay}, ${camera.id}, 0, 2, ${at('09:00:01')}, 0, 10, 1, 999, 1, 1, 79, ${DAY}, 3, 1)`)
  const { data } = await picturesOf(wang!)
  expect([data.total, data.list.map(({ time }: { time: number }) => time)]).toEqual([
    2,
    [at('08:00:01'), at('09:00:00')],
  ])
  const { data: second } = await picturesOf(wang!, '&pageSize=1&pageNum=2')
  expect([second.total, second.list]).toMatchObject([2, [{ time: at('09:00:00'), bytes: 10 }]])
  const picture = await app.stranger().inject({ method: 'GET', url: data.list[0].url })
  expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/jpeg'])
  expect(picture.rawPayload.equals(PICTURE)).toBe(true)
  expect((await picturesOf(li!)).code).toBe(400)
})

test('another account sees no events, and the events of a deleted range are hidden at once', async () => {
  expect((await li!('GET', `event/page?sn=${camera.sn}&day=${DAY}`)).code).toBe(400)
  await wang!('DELETE', `video?sn=${camera.sn}&begin=${at('08:00:00')}&end=${at('08:00:02')}`)
  expect(await ids()).toEqual([1])
})
