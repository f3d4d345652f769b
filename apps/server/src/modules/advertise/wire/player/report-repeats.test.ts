import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test, vi } from 'vitest'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const { ad, program, report } = useAds(oms)

let common: object
beforeAll(async () => {
  const { id: adId, sha256: file } = await ad()
  const programId = await program({ ads: [adId], body: { dateFrom: '2020-01-01' } })
  common = {
    programId,
    ver: 1,
    itemId: 1,
    adId,
    adVer: 1,
    file,
    ms: 15_000,
    planned: 15_000,
    result: 1,
    clock: 2,
    count: 1,
  }
})

/** A play of 15 seconds. */
const playAt = (start: number) => ({ reportId: randomUUID(), start, ...common })
const storedPlays = async (id: number) =>
  (await oms.query('select count(*)::int as n from ad_plays where device_id = $1', [id]))[0]?.n
const reasons = (reply: { json(): { rejected: { reason: string }[] } }) =>
  reply.json().rejected.map((each) => each.reason)

test('AD-10 a call with repeated, overlapping and new plays returns one result per play', async () => {
  const { sn, id } = await oms.device()
  const start = Date.now() - 3_600_000
  const stored = [0, 16_000, 32_000].map((after) => playAt(start + after))
  expect((await report(sn, stored)).json().accepted).toBe(3)
  const before = playAt(start - 10_000)
  const [inside, behind] = [playAt(start + 20_000), playAt(start + 48_000)]
  const reply = await report(sn, [behind, ...stored, inside, before])
  expect(reply.json()).toMatchObject({ accepted: 1, duplicate: 3 })
  expect(reasons(reply)).toEqual(['overlap', 'overlap'])
  // The overlap with a stored play that began before the reported play is found.
  expect(reasons(await report(sn, [playAt(start + 60_000)]))).toEqual(['overlap'])
  expect(await storedPlays(id)).toBe(4)
})

test('AD-10 repeated and overlapping plays are detected among more than a thousand stored plays', async () => {
  const { sn, id } = await oms.device()
  const start = Date.now() - 9 * 3_600_000
  const plays = Array.from({ length: 1200 }, (_, n) => playAt(start + n * 16_000))
  for (let from = 0; from < plays.length; from += 400) await report(sn, plays.slice(from, from + 400))
  const [first, last] = [plays[0]!, plays.at(-1)!]
  const overlapping = playAt(last.start + 5000)
  const reply = await report(sn, [first, overlapping, last])
  expect(reply.json()).toMatchObject({ accepted: 0, duplicate: 2 })
  expect(reasons(reply)).toEqual(['overlap'])
  expect(await storedPlays(id)).toBe(1200)
})

test('AD-10 a repetition of a call that this process stored just before is answered without a database query', async () => {
  const { sn, id } = await oms.device()
  const start = Date.now() - 3_600_000
  const plays = [0, 16_000].map((after) => playAt(start + after))
  expect((await report(sn, plays)).json().accepted).toBe(2)
  const query = vi.spyOn(oms.services.database.pool, 'query')
  expect((await report(sn, plays)).json()).toEqual({ accepted: 0, duplicate: 2, rejected: [] })
  const texts = query.mock.calls.map(([asked]) => JSON.stringify(asked))
  query.mockRestore()
  expect(texts.filter((text) => text.includes('ad-plays') || text.includes('ad_plays'))).toEqual([])
  // The same play with another id overlaps, and a new play in the same call is stored.
  const next = playAt(start + 32_000)
  expect((await report(sn, [...plays, playAt(start), next])).json()).toMatchObject({ accepted: 1, duplicate: 2 })
  expect(await storedPlays(id)).toBe(3)
})
