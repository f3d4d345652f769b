import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab, TOKEN } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const { ad, program, report } = useAds(oms)
const YEAR_MS = 365 * 86_400_000

let common: object
beforeAll(async () => {
  const { id: adId, sha256: file } = await ad()
  const programId = await program({ ads: [adId], body: { dateFrom: '1970-01-01', dateTo: '9999-12-31' } })
  const play = { itemId: 1, adId, adVer: 1, file, ms: 15_000, planned: 15_000, result: 1, clock: 2, count: 1 }
  common = { programId, ver: 1, ...play }
})

const playAt = (start: number) => ({ reportId: randomUUID(), start, ...common })
const storedPlays = async (id: number) =>
  (await oms.query('select count(*)::int as n from ad_plays where device_id = $1', [id]))[0].n as number

test('AD-10 a truncated body is refused and stores no play', async () => {
  const { sn, id } = await oms.device()
  const body = JSON.stringify({ sn, reports: [playAt(Date.now() - 60_000), playAt(Date.now() - 30_000)] })
  const headers = { authorization: `Bearer ${TOKEN}` }
  for (const part of [0.3, 0.6, 0.99]) {
    const cut = body.slice(0, Math.floor(body.length * part))
    const reply = await oms.send('/device/v1/ad/report', { method: 'POST', token: null, headers, body: cut })
    expect([reply.status, reply.json().message]).toEqual([400, 'the body must be a JSON object'])
  }
  const { port } = new URL(oms.origin)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`POST /device/v1/ad/report HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n`)
  socket.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 300)}`)
  socket.end()
  socket.resume()
  await once(socket, 'close')
  expect(await storedPlays(id)).toBe(0)
  expect((await report(sn, [playAt(Date.now() - 60_000)])).json()).toMatchObject({ accepted: 1 })
})

test('AD-10 plays with a time that is years off are rejected with a reason, and other plays are stored', async () => {
  const { sn, id } = await oms.device()
  const now = Date.now()
  const starts = [0, now - 20 * YEAR_MS, now - 3 * YEAR_MS, now + 3 * YEAR_MS, 253_402_214_400_000]
  const plays = [...starts, 253_402_214_400_001, -1, 1e300].map(playAt)
  const reply = (await report(sn, [...plays, playAt(now - 60_000)])).json()
  expect(reply).toMatchObject({ accepted: 1, duplicate: 0 })
  const reasonOf = new Map(
    reply.rejected.map((each: { reportId: string; reason: string }) => [each.reportId, each.reason]),
  )
  expect(plays.map(({ reportId }) => reasonOf.get(reportId))).toEqual([
    'too_old',
    'too_old',
    'too_old',
    'future',
    'future',
    'invalid',
    'invalid',
    'invalid',
  ])
  expect(await storedPlays(id)).toBe(1)
})

test('AD-10 50 equal simultaneous calls store each play once', async () => {
  const { sn, id } = await oms.device()
  const start = Date.now() - 3_600_000
  const plays = Array.from({ length: 40 }, (_, at) => playAt(start + at * 16_000))
  const replies = await Promise.all(Array.from({ length: 50 }, () => report(sn, plays)))
  const counted = replies.map((reply) => reply.json() as { accepted: number; duplicate: number; rejected: unknown[] })
  expect(counted.map(({ accepted, duplicate, rejected }) => [accepted + duplicate, rejected.length])).toEqual(
    replies.map(() => [40, 0]),
  )
  expect(counted.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(40)
  expect(await storedPlays(id)).toBe(40)
  const sums = 'select sum(plays)::int as plays from ad_play_fresh where device_id = $1'
  expect(await oms.query(sums, [id])).toEqual([{ plays: 40 }])
})
