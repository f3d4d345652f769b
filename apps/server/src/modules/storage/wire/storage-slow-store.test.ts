import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { useCameras } from '#test/fixtures/video-fixture.ts'

let answer: RequestListener = () => {}
const asked: string[] = []
const store = createServer((request, response) => {
  asked.push(request.url ?? '')
  answer(request, response)
})
const env: Record<string, string> = {}
beforeAll(async () => {
  await new Promise<void>((done) => store.listen(0, '127.0.0.1', done))
  Object.assign(env, {
    OMS_MEDIA_S3_ENDPOINT: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
    OMS_MEDIA_S3_REGION: 'us-east-1',
    OMS_MEDIA_S3_BUCKET: 'videos',
    OMS_MEDIA_S3_ACCESS_KEY: 'key',
    OMS_MEDIA_S3_SECRET_KEY: 'secret',
  })
})
const oms = deviceLab(env)
const { camera, uploadOf } = useCameras(oms)
afterEach(() => {
  vi.restoreAllMocks()
  asked.length = 0
})
afterAll(() => {
  store.closeAllConnections()
  return new Promise((done) => store.close(done))
})

const ticketsOf = async (sn: string, count: number) => {
  const tickets: string[] = []
  for (let at = 0; at < count; at += 1) tickets.push((await uploadOf(sn)).ticket)
  return tickets
}
const commit = async (sn: string, tickets: readonly string[]) => {
  const { status, json } = await oms.plain('storage/commit', { sn, done: tickets.map((ticket) => ({ ticket })) })
  expect(status).toBe(200)
  return json().results.map((result: { status: number }) => result.status)
}
const storedRows = async () => (await oms.query('select count(*)::int as n from oss_segments'))[0].n

test('STORAGE-04 commits get 503 at the deadline when the store hangs, and permits are granted meanwhile', async () => {
  const { sn } = await camera()
  const tickets = await ticketsOf(sn, 20)
  const deadline = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal)
  const hanging = new Promise<void>((done) => {
    answer = () => {
      if (asked.length === 8) done()
    }
  })
  const committed = commit(sn, ['forged', ...tickets])
  await hanging
  expect((await uploadOf(sn)).method).toBe('PUT')
  deadline.abort()
  expect(await committed).toEqual([401, ...tickets.map(() => 503)])
  // The upload tickets after the first eight were not requested.
  expect(asked).toHaveLength(8)
  expect(await storedRows()).toBe(0)
})

test('STORAGE-04 commits get 503 while the store is down or refuses, and the same upload tickets are accepted later', async () => {
  const { sn } = await camera()
  const tickets = await ticketsOf(sn, 2)
  answer = (_request, response) => void response.writeHead(503).end()
  expect(await commit(sn, tickets)).toEqual([503, 503])
  answer = (_request, response) => void response.destroy()
  expect(await commit(sn, tickets)).toEqual([503, 503])
  expect(await storedRows()).toBe(0)
  answer = (_request, response) => {
    const head = Buffer.alloc(1000, 1).fill(0x47, 0, 1)
    for (let at = 0; at < head.length; at += 188) head[at] = 0x47
    response.writeHead(206, { 'content-range': 'bytes 0-999/1000' }).end(head)
  }
  expect(await commit(sn, tickets.slice(0, 1))).toEqual([201])
})
