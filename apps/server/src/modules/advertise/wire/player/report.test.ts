import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const { ad, program, report } = useAds(oms)
const DAY_MS = 86_400_000

let one: Awaited<ReturnType<typeof ad>>
let programId = 0
let takeover = 0
beforeAll(async () => {
  one = await ad()
  programId = await program({ ads: [one.id], body: { dateFrom: '2020-01-01' } })
  takeover = await program({ ads: [one.id], body: { insertMode: 1, dateFrom: '2020-01-01' } })
})

let at = Date.now() - 3_600_000
/** A play of 15 seconds that begins after the previous play. */
const play = (over: object = {}) => ({
  reportId: randomUUID(),
  programId,
  ver: 1,
  itemId: 1,
  adId: one.id,
  adVer: 1,
  file: one.sha256,
  start: (at += 20_000),
  ms: 15_000,
  planned: 15_000,
  result: 1,
  clock: 2,
  count: 1,
  ...over,
})
const sums = async (id: number) => {
  const [row] = await oms.query(
    `select sum(plays)::int as plays, sum(complete)::int as complete, sum(partial)::int as partial, sum(failed)::int as failed,
       sum(ms)::int as ms, sum(untrusted)::int as untrusted from ad_play_fresh where device_id = $1`,
    [id],
  )
  return row
}
const reasons = (reply: { json(): { rejected: { reason: string }[] } }) =>
  reply.json().rejected.map((each) => each.reason)

test('AD-10 plays are stored and added to the sums, and duplicates are accepted without a second row', async () => {
  const { sn, id } = await oms.device()
  const reports = [play(), play({ result: 2, ms: 4000 }), play({ result: 3, ms: 0, error: 'decode' })]
  expect((await report(sn, reports)).json()).toEqual({ accepted: 3, duplicate: 0, rejected: [] })
  expect((await report(sn, [...reports, reports[0]!].toReversed())).json()).toEqual({
    accepted: 0,
    duplicate: 4,
    rejected: [],
  })
  expect(await sums(id)).toEqual({ plays: 2, complete: 1, partial: 1, failed: 1, ms: 19_000, untrusted: 0 })
  const [row] = await oms.query('select material_id, model_id, tenant_id from ad_plays where device_id = $1 limit 1', [
    id,
  ])
  expect(row).toEqual({ material_id: one.materialId, model_id: 1, tenant_id: 1 })
})

test('AD-10 a rejected play is returned with its reason, and the other plays are stored', async () => {
  const { sn, id } = await oms.device()
  const now = Date.now()
  const wrong = [
    play({ programId: 999 }),
    play({ ver: 9 }),
    play({ itemId: 7 }),
    play({ adVer: 5 }),
    play({ start: now + 11 * 60_000 }),
    play({ start: now - 40 * DAY_MS }),
    play({ ms: -1 }),
    play({ ms: 75_001 }),
    { reportId: 'x', programId },
    null,
    play({ count: 3601 }),
  ]
  const reply = await report(sn, [play(), ...wrong, play()])
  expect(reply.json().accepted).toBe(2)
  expect(reasons(reply).toSorted()).toEqual([
    'duration',
    'duration',
    'future',
    'invalid',
    'invalid',
    'invalid',
    'too_old',
    'unknown',
    'unknown',
    'unknown',
    'unknown',
  ])
  expect(reply.json().rejected[0]).toEqual({ reportId: 'x', reason: 'invalid', field: 'reportId' })
  expect(await oms.query('select reason, n from ad_rejects where device_id = $1 order by reason', [id])).toEqual([
    { reason: 'duration', n: 2 },
    { reason: 'future', n: 1 },
    { reason: 'invalid', n: 3 },
    { reason: 'too_old', n: 1 },
    { reason: 'unknown', n: 4 },
  ])
})

test('AD-10 a play that overlaps a stored play by more than 2 seconds is rejected, except a takeover', async () => {
  const { sn } = await oms.device()
  const first = play()
  expect((await report(sn, [first])).json().accepted).toBe(1)
  const { start } = first
  const beside = [play({ start: start + 13_500 }), play({ start: start + 5000 }), play({ start: start - 12_000 })]
  const reply = await report(sn, beside)
  expect(reply.json().accepted).toBe(1)
  expect(reasons(reply)).toEqual(['overlap', 'overlap'])
  expect((await report(sn, [play({ start: start + 5000, programId: takeover })])).json().accepted).toBe(1)
  // A stored takeover does not reject the play that it interrupted.
  const later = start + 60_000
  expect((await report(sn, [play({ start: later, programId: takeover })])).json().accepted).toBe(1)
  expect((await report(sn, [play({ start: later - 5000 })])).json().accepted).toBe(1)
})

test('AD-10 of overlapping plays in one call, the earliest is accepted', async () => {
  const { sn } = await oms.device()
  const start = (at += 100_000)
  const reply = await report(
    sn,
    [0, 5000, 10_000, 16_000, 21_000].map((after) => play({ start: start + after })),
  )
  expect(reply.json().accepted).toBe(2)
  expect(reasons(reply)).toEqual(['overlap', 'overlap', 'overlap'])
})

test('AD-10 a play without a trusted clock counts once, on the day of its arrival', async () => {
  const { sn, id } = await oms.device()
  const lost = play({ clock: 0, start: 1000, ms: 15_000 })
  expect((await report(sn, [lost])).json().accepted).toBe(1)
  await oms.query(`select oms_ensure_play_days(array[current_date - 2])`)
  await oms.query(`update ad_plays set play_day = current_date - 2 where device_id = $1`, [id])
  expect((await report(sn, [lost])).json()).toEqual({ accepted: 0, duplicate: 1, rejected: [] })
  expect(await sums(id)).toEqual({ plays: 0, complete: 0, partial: 0, failed: 0, ms: 0, untrusted: 1 })
})

test('AD-10 a failed play without a trusted clock is not counted', async () => {
  const { sn, id } = await oms.device()
  const lost = play({ clock: 0, result: 3, ms: 0, error: 'decode' })
  expect((await report(sn, [lost, play({ clock: 0, result: 2 })])).json()).toMatchObject({ accepted: 2 })
  expect(await sums(id)).toMatchObject({ plays: 0, failed: 0, untrusted: 1 })
})

test('AD-10 a report whose count is above 1 adds each of its plays to the sums', async () => {
  const { sn, id } = await oms.device()
  const hour = play({ count: 240, ms: 3_600_000, planned: 3_600_000 })
  expect((await report(sn, [hour])).json().accepted).toBe(1)
  expect(await sums(id)).toMatchObject({ plays: 240, complete: 240, ms: 3_600_000 })
})

test('AD-10 a play of a program of another tenant or for other devices is rejected as unknown', async () => {
  const { sn } = await oms.device()
  const other = await program({ ads: [one.id], tenantId: 7 })
  const few = await program({ ads: [one.id], targetType: 1, targetIds: [999_999] })
  expect(reasons(await report(sn, [play({ programId: other }), play({ programId: few })]))).toEqual([
    'unknown',
    'unknown',
  ])
})

test('AD-10 a call with more than 500 plays, over 256 KiB, without a JSON object or with a wrong token is refused', async () => {
  const { sn } = await oms.device()
  expect(
    (
      await report(
        sn,
        Array.from({ length: 501 }, () => null),
      )
    ).status,
  ).toBe(413)
  expect((await report(sn, ['x'.repeat(263_000)])).status).toBe(413)
  expect((await oms.plain('ad/report', [] as object)).status).toBe(400)
  const said = async (body: object) => (await oms.plain('ad/report', body)).json().message
  expect(await said({ sn })).toBe('reports must be a list')
  expect([await said({ reports: [] }), await said({ sn: 5 })]).toEqual(['sn is missing', 'sn is missing'])
  expect((await report(sn, [], 'wrong')).status).toBe(401)
  expect((await report('nobody', [])).status).toBe(401)
  expect((await oms.send('/device/v1/ad/report', { token: null })).status).toBe(405)
})

test('AD-10 two processes that receive the same plays simultaneously store each play once', async () => {
  const { sn, id } = await oms.device()
  const twin = await oms.another()
  const reports = Array.from({ length: 200 }, () => play({ start: (at += 16_000), ms: 15_000 }))
  const start = Date.now() - 20 * 3_600_000
  for (const [n, each] of reports.entries()) each.start = start + n * 16_000
  const send = async (n: number) => {
    const some = reports.slice((n * 20) % 150, ((n * 20) % 150) + 60)
    const origin = n % 2 === 0 ? oms.origin : twin.origin
    const reply = await oms.send(`${origin}/device/v1/ad/report`, {
      method: 'POST',
      token: null,
      headers: { authorization: 'Bearer token-of-one-device-0123456789ab' },
      body: { sn, reports: some },
    })
    return reply.json()
  }
  const replies = await Promise.all(Array.from({ length: 16 }, (_, n) => send(n)))
  for (const { accepted, duplicate, rejected } of replies) expect([accepted + duplicate, rejected]).toEqual([60, []])
  const rows = await oms.query('select count(*)::int as n from ad_plays where device_id = $1', [id])
  expect(replies.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(rows[0].n)
  expect((await sums(id)).plays).toBe(rows[0].n)
})

test('AD-10 a screen can report at most one hour of plays per hour, and one summed report per hour', async () => {
  const { sn, id } = await oms.device()
  const start = Math.floor(Date.now() / 3_600_000 - 3) * 3_600_000
  const hour = play({ start, count: 240, ms: 3_600_000 })
  expect((await report(sn, [hour])).json().accepted).toBe(1)
  expect((await report(sn, [hour])).json()).toEqual({ accepted: 0, duplicate: 1, rejected: [] })
  expect(reasons(await report(sn, [play({ start, count: 240, ms: 3_600_000 })]))).toEqual(['overlap'])
  const invented = Array.from({ length: 20 }, () => play({ start: start - 3_600_000, count: 3600, ms: 1, result: 2 }))
  expect((await report(sn, invented)).json().accepted).toBe(1)
  const short = Array.from({ length: 500 }, (_, n) => play({ start: start - 7_200_000 + n, ms: 1, planned: 1 }))
  for (let call = 0; call < 8; call += 1)
    await report(
      sn,
      short.map((each) => ({ ...each, reportId: randomUUID() })),
    )
  const [{ plays }] = await oms.query(
    'select sum(plays)::int as plays from ad_play_fresh where device_id = $1 and hour = $2',
    [id, start - 7_200_000],
  )
  expect(plays).toBeGreaterThan(3600 - 1)
  expect(plays).toBeLessThanOrEqual(3661)
  expect((await sums(id)).complete).toBe(240)
})

test('AD-10 failures are limited to one per second, and plays without a trusted clock to seven days', async () => {
  const { sn, id } = await oms.device()
  const start = Math.floor(Date.now() / 3_600_000 - 3) * 3_600_000
  const failures = Array.from({ length: 480 }, () => play({ start, result: 3, ms: 0, count: 10 }))
  const { accepted, rejected } = (await report(sn, failures)).json()
  // The limit is one failure per second of the hour, with a tolerance of one minute.
  expect([accepted, rejected.length, rejected[0].reason]).toEqual([366, 114, 'overlap'])
  expect((await report(sn, failures.slice(0, 100))).json()).toEqual({ accepted: 0, duplicate: 100, rejected: [] })
  // Failures have a time limit of their own, so the plays of the hour are accepted.
  expect((await report(sn, [play({ start, count: 240, ms: 3_600_000 })])).json().accepted).toBe(1)

  const lost = Array.from({ length: 400 }, (_, n) =>
    play({ clock: 0, start: n * 3_600_000, count: 3600, ms: 3_600_000 }),
  )
  const first = (await report(sn, lost)).json()
  // 168 hours: seven days.
  expect([first.accepted, first.rejected.length]).toEqual([168, 232])
  const again = Array.from({ length: 50 }, (_, n) => play({ clock: 0, start: n, result: 2, ms: 1, count: 3600 }))
  expect((await report(sn, again)).json().accepted).toBe(0)
  expect(await sums(id)).toMatchObject({ plays: 240, failed: 3660, untrusted: 168 * 3600 })
})

test('AD-10 the duration of a play is checked with the published item, not with the reported planned time', async () => {
  const { sn, id } = await oms.device()
  const none = [play({ ms: 0, planned: 0 }), play({ ms: 0, planned: 0, result: 2 })]
  expect(reasons(await report(sn, [...none, play({ ms: 100_000, planned: 100_000 })]))).toEqual(
    Array.from({ length: 3 }, () => 'duration'),
  )
  expect((await report(sn, [play({ ms: 1, planned: 1, start: Date.now() - 1_800_000 })])).json().accepted).toBe(1)
  expect(await sums(id)).toMatchObject({ plays: 1, complete: 0, partial: 1 })
  expect(await oms.query('select planned from ad_plays where device_id = $1', [id])).toEqual([{ planned: 15_000 }])
})

test('AD-10 a play before the publishing or outside the dates of its program is rejected as unknown', async () => {
  const { sn } = await oms.device()
  const now = Date.now()
  const day = (days: number) => new Date(now + days * DAY_MS).toISOString().slice(0, 10)
  const late = await program({ ads: [one.id], body: { dateFrom: '2020-01-01', publishedAt: now - 3_600_000 } })
  const over = await program({ ads: [one.id], body: { dateFrom: day(-9), dateTo: day(-6) } })
  const reports = [
    play({ programId: late, start: now - 2 * 3_600_000 }),
    play({ programId: late, start: now - 1_800_000 }),
    play({ programId: over, start: now - 11 * DAY_MS }),
    play({ programId: over, start: now - 3 * DAY_MS }),
    play({ programId: over, start: now - 7 * DAY_MS }),
  ]
  const reply = await report(sn, reports)
  expect(reply.json().accepted).toBe(2)
  expect(reasons(reply)).toEqual(['unknown', 'unknown', 'unknown'])
})
