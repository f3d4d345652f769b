import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { addDays } from '#core/time/zone.ts'
import { formatObjectKey } from '../video/segment.ts'
import { useApp } from '#test/harness.ts'
import { DAY, type Home, homesOf, RANGE, RECORDING_START } from '#test/fixtures/playback-fixture.ts'
import { createPlayToken, formatPlayUrl, NO_SESSION } from './play-token.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const { prepare, newHome, addressesOf, isSent, bindTo } = homesOf(app)
const MINUTE_MS = 60_000
const EXPIRE_DAY = addDays(DAY, 8)
const clock = { ahead: 0 }

beforeAll(async () => {
  await prepare(await app.by({ superAdmin: true }))
  Object.assign(app.services, { now: () => new Date(Date.now() + clock.ahead) })
})

const isStored = async ({ camera }: Home) => {
  const place = { expireDay: EXPIRE_DAY, deviceId: camera.id, channel: 0, startMs: RECORDING_START }
  return (await app.services.videos.media.peek(formatObjectKey({ ...place, salt: -5, format: 1 }), 0)) !== undefined
}

/** Returns which recordings the owner gets: from play addresses that were issued before, and from new calls. */
async function readAll(
  { session, camera }: Home,
  { playlist, segment, picture }: Awaited<ReturnType<typeof addressesOf>>,
) {
  const { data: timeline } = await session('GET', `timeline?sn=${camera.sn}&day=${DAY}`)
  const { data: events } = await session('GET', `event/page?sn=${camera.sn}&day=${DAY}`)
  const { data: days } = await session('GET', `day?sn=${camera.sn}&month=${DAY.slice(0, 7)}`)
  return {
    playlist: await isSent(playlist, camera),
    segment: await isSent(segment, camera),
    picture: await isSent(picture, camera),
    play: (await session('POST', 'play', { sn: camera.sn, ...RANGE })).code === 200,
    timeline: (timeline?.list ?? []).length > 0,
    events: (events?.list ?? []).length > 0,
    dayCounted: (days?.list ?? []).some((day: { segments: number; seconds: number }) => day.segments + day.seconds > 0),
    dayEvents: (days?.list ?? []).some((day: { events: number }) => day.events > 0),
  }
}
type Result = Awaited<ReturnType<typeof readAll>>
const ALL: Result = {
  playlist: true,
  segment: true,
  picture: true,
  play: true,
  timeline: true,
  events: true,
  dayCounted: true,
  dayEvents: true,
}
const NONE = Object.fromEntries(Object.keys(ALL).map((name) => [name, false]))

const DUE: readonly (readonly [when: string, makeDue: (home: Home) => Promise<void>])[] = [
  [
    'the owner deletes it',
    async ({ session, camera }) => {
      const { code } = await session(
        'DELETE',
        `video?sn=${camera.sn}&begin=${RECORDING_START}&end=${RECORDING_START + MINUTE_MS}`,
      )
      expect(code).toBe(200)
    },
  ],
  [
    'the owner unbinds the camera',
    async (home) => {
      await bindTo(null, home)
    },
  ],
  [
    'the days after the last package of its channel have passed',
    async () => {
      clock.ahead = 2 * MINUTE_MS
    },
  ],
]

test.each(DUE)(
  'STORAGE-08 a recording cannot be played as soon as %s, although its object remains in the store',
  async (_, makeDue) => {
    const home = await newHome()
    await app.db.execute(sql`insert into oss_queues (device_id, channel, tenant_id, end_time)
    values (${home.camera.id}, 0, 1, now() - interval '7 days' + interval '1 minute')`)
    const addresses = await addressesOf(home)
    expect(await readAll(home, addresses)).toEqual(ALL)
    await makeDue(home)
    await expect.poll(() => readAll(home, addresses), { timeout: 20_000 }).toEqual(NONE)
    expect(await isStored(home)).toBe(true)
    clock.ahead = 0
  },
)

test('STORAGE-08 a deletion of other times or other channels does not affect a recording', async () => {
  const home = await newHome()
  const addresses = await addressesOf(home)
  const { id } = home.camera
  await app.db.execute(sql`insert into oss_purges (tenant_id, owner_id, device_id, channel, reason, from_ms, until_ms)
    values (1, ${home.uid}, ${id}, 1, 2, 0, ${RECORDING_START + MINUTE_MS}), (1, ${home.uid}, ${id}, 0, 2, ${RECORDING_START + 20_000}, ${RECORDING_START + MINUTE_MS})`)
  expect(await readAll(home, addresses)).toEqual(ALL)
})

test('STORAGE-08 a recording cannot be played from its expiry date on, although its object remains in the store', async () => {
  const home = await newHome()
  const { segment, picture } = await addressesOf(home)
  const midnight = Date.parse(`${EXPIRE_DAY}T00:00:00+08:00`)
  const place = { deviceId: home.camera.id, channel: 0, tenantId: 1, ownerId: home.uid, ...RANGE }
  const { token } = createPlayToken(
    app.services.config.secretKey,
    { ...place, ...NO_SESSION, consentId: 0 },
    midnight - 10 * MINUTE_MS,
  )
  const urls = [segment, picture].map((url) => formatPlayUrl(token, url.split('/').at(-1)!))
  const sendAll = () => Promise.all(urls.map((url) => isSent(url, home.camera)))
  clock.ahead = midnight - MINUTE_MS - Date.now()
  expect(await sendAll()).toEqual([true, true])
  clock.ahead += 2 * MINUTE_MS
  expect(await sendAll()).toEqual([false, false])
  const answer = await app.stranger().inject({ method: 'GET', url: urls[0]! })
  expect([answer.statusCode, answer.json().msg]).toEqual([404, '录像已过保存期'])
  expect(await isStored(home)).toBe(true)
  clock.ahead = 0
})
