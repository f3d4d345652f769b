import { beforeAll, expect, test } from 'vitest'
import { S3Media } from '#core/media/s3-media.ts'
import { useApp } from '#test/harness.ts'
import { homesOf, RANGE } from '#test/fixtures/playback-fixture.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const { prepare, newHome, addressesOf, bindTo } = homesOf(app)
const BUCKET = { endpoint: 'http://127.0.0.1:9', region: 'r', bucket: 'videos', accessKey: 'key', secretKey: 'secret' }

beforeAll(async () => {
  await prepare(await app.by({ superAdmin: true }))
})

const send = (method: 'GET' | 'HEAD', url: string, headers: Record<string, string> = {}) =>
  app.stranger().inject({ method, url, headers })

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

test('STORAGE-08 a redirect to the S3 bucket has a URL that expires after 60 seconds', async () => {
  const home = await newHome()
  const { segment } = await addressesOf(home)
  await withBucket(async () => {
    expect((await send('HEAD', segment)).statusCode).toBe(302)
    const { statusCode, headers } = await send('GET', segment)
    expect([statusCode, headers['cache-control']]).toEqual([302, 'no-store'])
    expect(new URL(headers.location!).searchParams.get('X-Amz-Expires')).toBe('60')
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

test('a file name with an impossible date is refused', async () => {
  const { segment } = await addressesOf(await newHome())
  await withBucket(async () => {
    const wrong = segment.replace(/\/\d{8}-/, '/20269999-')
    expect(wrong).not.toBe(segment)
    expect((await send('GET', wrong)).statusCode).toBe(404)
    expect((await send('GET', segment)).statusCode).toBe(302)
  })
})
