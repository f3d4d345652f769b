import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { S3Media } from '#core/media/s3-media.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { PlayCounter } from '#domain/video/recordings/play-counter.ts'
import { mergeVideoSums } from '#domain/video/sums.ts'
import { useApp } from '#test/harness.ts'
import { DAY, homesOf, RANGE } from './home-fixture.ts'
import { FIXTURE_TIME_ZONE } from './playback-fixture.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const { prepare, newHome, addressesOf, bindTo } = homesOf(app)
const clock = { ahead: 0 }
const BUCKET = { endpoint: 'http://127.0.0.1:9', region: 'r', bucket: 'videos', accessKey: 'key', secretKey: 'secret' }

beforeAll(async () => {
  await prepare(await app.by({ superAdmin: true }))
  Object.assign(app.services, { now: () => new Date(Date.now() + clock.ahead) })
})
beforeEach(async () => {
  clock.ahead = 0
  await app.services.videos.plays.flush()
  await app.db.execute(sql`delete from oss_play_days`)
})

const send = (method: 'GET' | 'HEAD', url: string, headers: Record<string, string> = {}) =>
  app.stranger().inject({ method, url, headers })

/** Returns the counted recordings and bytes of each day. */
async function readCounts() {
  await app.services.videos.plays.flush()
  const { rows } = await app.db.execute(sql`select day, tenant_id as tenant, model_id as model,
      record_type as type, sum(segments)::int as segments, sum(bytes)::int as bytes
    from oss_play_days group by 1, 2, 3, 4 order by 1`)
  return rows
}
const counted = (segments: number, day = formatLocalDay(Date.now(), FIXTURE_TIME_ZONE)) => ({
  day,
  tenant: 1,
  model: 1,
  type: 1,
  segments,
  bytes: segments * 1000,
})

/** Runs with a bucket in place of the local store. A redirect needs no request to the bucket. */
async function withBucket<T>(run: () => Promise<T>): Promise<T> {
  const { media } = app.services.videos
  Object.assign(app.services.videos, { media: new S3Media(BUCKET) })
  try {
    return await run()
  } finally {
    Object.assign(app.services.videos, { media })
  }
}

test('STORAGE-08 a recording counts once per playback URL, whatever ranges are requested', async () => {
  const { playlist, segment, picture } = await addressesOf(await newHome())
  await send('HEAD', segment)
  await send('GET', playlist)
  expect(await readCounts()).toEqual([])
  await send('GET', segment, { range: 'bytes=0-99' })
  await send('GET', segment, { range: 'bytes=100-' })
  expect((await send('GET', segment, { range: 'bytes=5000-' })).statusCode).toBe(416)
  expect(await readCounts()).toEqual([counted(1)])
  await send('GET', picture)
  await mergeVideoSums(app.db)
  expect(await readCounts()).toEqual([counted(2)])
})

test('a recording counts again with another playback URL and more than ten minutes later', async () => {
  const home = await newHome()
  const { segment } = await addressesOf(home)
  await send('GET', segment)
  const { data } = await home.session('POST', 'play', { sn: home.camera.sn, begin: RANGE.begin, end: RANGE.end - 1 })
  await send('GET', data.url.replace('index.m3u8', segment.split('/').at(-1)!))
  expect(await readCounts()).toEqual([counted(2)])
  clock.ahead = 25 * 60_000
  const day = formatLocalDay(Date.now() + clock.ahead, FIXTURE_TIME_ZONE)
  await send('GET', segment)
  await send('GET', segment)
  const total = (await readCounts()).reduce((sum, row) => sum + (row['segments'] as number), 0)
  expect([total, (await readCounts()).at(-1)!['day']]).toEqual([3, day])
})

test('STORAGE-08 a redirect to the S3 bucket counts as a play, and the bucket URL expires after 60 seconds', async () => {
  const home = await newHome()
  const { segment } = await addressesOf(home)
  await withBucket(async () => {
    expect((await send('HEAD', segment)).statusCode).toBe(302)
    expect(await readCounts()).toEqual([])
    const { statusCode, headers } = await send('GET', segment)
    expect([statusCode, headers['cache-control']]).toEqual([302, 'no-store'])
    expect(new URL(headers.location!).searchParams.get('X-Amz-Expires')).toBe('60')
    expect(await readCounts()).toEqual([counted(1)])
  })
})

test('STORAGE-08 after unbinding or deletion a recording is not redirected to the bucket', async () => {
  const [moved, cleared] = [await newHome(), await newHome()]
  const segments = [(await addressesOf(moved)).segment, (await addressesOf(cleared)).segment]
  await bindTo(null, moved)
  await cleared.session('DELETE', `video?sn=${cleared.camera.sn}&begin=${RANGE.begin}&end=${RANGE.end}`)
  await withBucket(async () => {
    const statuses = async () => Promise.all(segments.map(async (url) => (await send('GET', url)).statusCode))
    await expect.poll(statuses, { timeout: 20_000 }).toEqual([410, 404])
  })
  expect((await send('GET', segments[0]!)).headers.location).toBeUndefined()
})

test('a file name with an impossible date is refused, and later plays are still counted', async () => {
  const { segment } = await addressesOf(await newHome())
  await withBucket(async () => {
    const wrong = segment.replace(/\/\d{8}-/, '/20269999-')
    expect(wrong).not.toBe(segment)
    expect((await send('GET', wrong)).statusCode).toBe(404)
    expect((await send('GET', segment)).statusCode).toBe(302)
  })
  expect(await readCounts()).toEqual([counted(1)])
})

test('STORAGE-13 the statistics show the played bytes by day of playback, only to the tenant of the recording', async () => {
  const { segment } = await addressesOf(await newHome())
  await send('GET', segment)
  await app.services.videos.plays.flush()
  const today = formatLocalDay(Date.now(), FIXTURE_TIME_ZONE)
  const usageOf = async (who: Awaited<ReturnType<typeof app.by>>) =>
    (await who.call('GET', `/api/v1/oss/statistics/usage?startDate=${addDays(DAY, -1)}&endDate=${today}`)).data.days
  const permissions = ['ossManage:ossStatisticalAnalysis:list']
  const shown = await usageOf(await app.by({ permissions }))
  expect(shown.at(-1)).toMatchObject({ day: today, playedBytes: 1000, playedSegments: 1 })
  expect(shown[0]).toMatchObject({ playedBytes: 0, playedSegments: 0 })
  const stranger = await usageOf(await app.by({ tenant: '回看公司', permissions }))
  expect(stranger.at(-1)).toMatchObject({ playedBytes: 0, playedSegments: 0 })
})

test('STORAGE-08 several processes that send ranges of a recording count it once in ten minutes', async () => {
  const { segment } = await addressesOf(await newHome())
  const { videos, database, log } = app.services
  const { plays } = videos
  /** Sends a range as a process that knows no earlier request. */
  const sendAnew = async (range: string) => {
    const counter = new PlayCounter(database.pool, log)
    Object.assign(videos, { plays: counter })
    await send('GET', segment, { range })
    await counter.close()
  }
  const countAll = async () => {
    const { rows } = await app.db.execute<{ n: number }>(sql`select sum(segments)::int as n from oss_play_days`)
    return rows[0]!.n
  }
  try {
    await sendAnew('bytes=0-99')
    await sendAnew('bytes=100-')
    expect(await countAll()).toBe(1)
    clock.ahead = 11 * 60_000
    await sendAnew('bytes=300-')
    expect(await countAll()).toBe(2)
  } finally {
    Object.assign(videos, { plays })
  }
})
