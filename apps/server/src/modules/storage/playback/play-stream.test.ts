import { Readable } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { formatObjectKey } from '../video/segment.ts'
import { usePlayback } from '#test/fixtures/playback-fixture.ts'

const app = useApp()
const fixture = usePlayback(app)
const BYTES = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251))
const START = Date.now() - 3600_000
let playlist: string

beforeAll(async () => {
  const key = await fixture.addKey(await app.by({ superAdmin: true }))
  const camera = await fixture.addCamera(1, await fixture.addAccount(1, 'wang'))
  await fixture.record(camera, { from: START, count: 2 })
  const { rows } = await app.services.database.pool.query<{ day: string; salt: number }>(
    'select expire_day as day, salt from oss_segments where start_ms = $1',
    [START],
  )
  const { day, salt } = rows[0]!
  const { media } = app.services.videos
  if (media.kind !== 'local') throw new Error('the test needs the local store')
  const object = formatObjectKey({ expireDay: day, deviceId: camera.id, channel: 0, startMs: START, salt, format: 1 })
  await media.put(object, Readable.from([BYTES]), { bytes: BYTES.length, accepts: () => true })
  const owner = await fixture.openSession(key, 'wang')
  playlist = (await owner('POST', 'play', { sn: camera.sn, begin: START, end: START + 8000 })).data.url
})

const get = (url: string, headers: Record<string, string> = {}) =>
  app.stranger().inject({ method: 'GET', url, headers })
async function files() {
  const { body } = await get(playlist)
  return body.split('\n').filter((line) => line.endsWith('.ts'))
}
const besides = (file: string) => playlist.replace('index.m3u8', file)

test('STORAGE-08 a recording is sent whole or by range, with a fixed media type and a sandbox policy', async () => {
  const [first = ''] = await files()
  const whole = await get(besides(first))
  expect(whole.rawPayload.equals(BYTES)).toBe(true)
  expect(whole.headers).toMatchObject({
    'content-type': 'video/mp2t',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'referrer-policy': 'no-referrer',
    'cache-control': 'private, max-age=600',
  })
  const part = await get(besides(first), { range: 'bytes=100-199' })
  expect(part.statusCode).toBe(206)
  expect(part.rawPayload.equals(BYTES.subarray(100, 200))).toBe(true)
})

test('a recording whose object is missing returns HTTP 404 and a message', async () => {
  const [, second = ''] = await files()
  expect((await get(besides(second))).json()).toMatchObject({ code: 404, msg: '该时间段没有录像' })
})

test('the token of a playback URL does not appear in the request log', async () => {
  const token = playlist.split('/')[5] ?? ''
  const { rows } = await app.services.database.pool.query('select oper_url, oper_param from oper_logs')
  expect(token.length).toBeGreaterThan(40)
  expect(JSON.stringify(rows)).not.toContain(token)
})
