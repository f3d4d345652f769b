import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { mergeStorageSums, recordDueEntitlements } from './clock.ts'
import { ENTITLEMENT_URL as URL, START_MS, useStorage } from '#test/fixtures/storage-fixture.ts'

const DAY_MS = 86_400_000
const STAT = '/api/v1/oss/statistics'
const app = useApp()
const storage = useStorage(app)
const { setNow, clock, call, breaches, newDevice, open, rowsOf, step } = storage

type Filter = Record<string, string | number>
const query = (filter: Filter) =>
  new URLSearchParams(Object.entries(filter).map(([key, value]): [string, string] => [key, String(value)])).toString()
const figures = async (name: string, filter: Filter = {}, who: Pick<Caller, 'call'> = { call }) =>
  (await who.call('GET', `${STAT}/${name}?${query(filter)}`)).data
const listed = async (filter: Filter, who: Pick<Caller, 'call'> = { call }) =>
  (await who.call('GET', `${URL}/page?pageSize=1&${query(filter)}`)).data.total
const dayOf = (time: number) => new Date(time + 8 * 3_600_000).toISOString().slice(0, 10)

/** Makes about 100 random steps on five cameras over some months. */
async function randomSteps() {
  let seed = 11
  const random = (count: number) => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.floor((seed / 4_294_967_296) * count)
  }
  setNow(START_MS)
  const sns = await Promise.all(Array.from({ length: 5 }, () => newDevice()))
  for (let count = 0; count < 100; count += 1) {
    setNow(clock.now + random(5) * DAY_MS + 3_600_000)
    const sn = sns[random(5)]!
    const rows = await rowsOf(sn)
    const chosen = rows[random(rows.length)]
    const kind = random(10)
    const ids = rows.map(({ id }) => id)
    if (kind < 4 || !chosen)
      await open([sn], ['M1', 'W1', 'TRY'][random(3)]!, {
        effectMode: random(3) + 1,
        channels: [random(2)],
        source: random(2) + 1,
        amount: 500,
      })
    else if (kind === 4) await step(random(2) === 0 ? 'suspend' : 'resume', ids)
    else if (kind === 5) await step('cancel', [chosen.id])
    else if (kind === 6)
      await call('POST', `${URL}/renew`, { ids: [chosen.id], source: 1, amount: 700, reason: '续费' })
    else await recordDueEntitlements(app.services)
  }
  await recordDueEntitlements(app.services)
}

interface Sold {
  n: number
  amount: number
  average: number
}
const check = async (count: number, filter: Filter, who?: Pick<Caller, 'call'>) =>
  expect([filter, await listed(filter, who)]).toEqual([filter, count])

/** Compares every figure with the list that it opens. */
async function compareAll(range: { startDate: string; endDate: string }, who?: Pick<Caller, 'call'>) {
  const { startDate, endDate } = range
  const sales = { flow: 9, flowBegin: startDate, flowEnd: endDate }
  const now = await figures('summary', {}, who)
  await check(now.inForce, { state: 1 }, who)
  await check(now.waiting, { state: 0 }, who)
  await check(now.suspended, { state: 3 }, who)
  await check(now.sold, { flow: 9, flowBegin: now.monthBegin, flowEnd: now.today }, who)
  const after = (days: number) => dayOf(Date.parse(`${now.today}T04:00:00Z`) + days * DAY_MS)
  await check(now.due7, { queueEndBegin: now.today, queueEndEnd: after(6) }, who)
  await check(now.due30, { queueEndBegin: now.today, queueEndEnd: after(29) }, who)
  for (const { tenantId, days7, days30, days90 } of (await figures('expiring', {}, who)).list)
    for (const [days, n] of [
      [7, days7],
      [30, days30],
      [90, days90],
    ] as const)
      await check(n, { tenantId, queueEndBegin: now.today, queueEndEnd: after(days - 1) }, who)
  const { days } = await figures('trend', range, who)
  for (const { day, opened, renewed, expired } of days) {
    const of = (flow: number) => ({ flow, flowBegin: day, flowEnd: day })
    if (opened) await check(opened, of(1), who)
    if (renewed) await check(renewed, of(2), who)
    if (expired) await check(expired, of(3), who)
  }
  const packages = await figures('package', range, who)
  for (const { packageId, n, inForce } of packages.list) {
    await check(n, { ...sales, packageId }, who)
    await check(inForce, { packageId, state: 1 }, who)
  }
  for (const { packageId, values } of packages.series)
    expect(values.reduce((sum: number, value: number) => sum + value, 0)).toBe(
      packages.list.find((row: { packageId: number }) => row.packageId === packageId).n,
    )
  for (const { source, n } of (await figures('source', range, who)).list) await check(n, { ...sales, source }, who)
  for (const { tenantId, n } of (await figures('tenant', range, who)).list) await check(n, { ...sales, tenantId }, who)
  for (const { day, n } of (await figures('forecast', {}, who)).list)
    if (n) await check(n, { queueEndBegin: day, queueEndEnd: day }, who)
  return { now, packages: packages.list as (Sold & { packageId: number })[], days }
}

test('STORAGE-13 each figure equals the number of rows in its list after random operations, also before a merge', {
  timeout: 300_000,
}, async () => {
  await randomSteps()
  const range = { startDate: dayOf(clock.now - 300 * DAY_MS), endDate: dayOf(clock.now) }
  const { packages, days } = await compareAll(range)
  expect(days.some(({ expired }: { expired: number }) => expired > 0)).toBe(true)
  const { rows } = await app.db.execute<{ packageId: number; n: number; amount: number }>(sql`
    select package_id as "packageId", count(*)::int as n, sum(amount)::int as amount
    from oss_entitlements where source <> 5 group by 1`)
  for (const { packageId, n, amount } of rows)
    expect(packages.find((row) => row.packageId === packageId)).toMatchObject({
      n,
      amount,
      average: Math.round(amount / n),
    })
  expect((await figures('expiring')).list.length).toBeLessThanOrEqual(10)
  await mergeStorageSums(app.services)
  await compareAll(range)
  expect(await breaches()).toEqual([])
})

test('STORAGE-13 accounts of a tenant see figures of their tenant, and accounts limited to own records only theirs', async () => {
  setNow(clock.latest)
  const permissions = [
    'ossManage:deviceList:list',
    ...['list', 'query', 'export'].map((action) => `ossManage:ossStatisticalAnalysis:${action}`),
  ]
  const tenant = await app.by({ tenant: '戊公司', permissions })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '戊公司'`)
  const [mine, other] = [await newDevice(rows[0]!.id), await newDevice()]
  await open([mine], 'M1', { source: 1, amount: 900 })
  await open([other], 'M1', { source: 1, amount: 900 })
  const range = { startDate: dayOf(clock.now), endDate: dayOf(clock.now) }
  const { now } = await compareAll(range, tenant)
  expect(now).toMatchObject({ inForce: 1, revenue: 900, gross: 900, capable: 2, rate: 50 })
  expect(await figures('tenant', range, tenant)).toMatchObject({ list: [{ tenantName: '戊公司', n: 1 }] })
  expect((await figures('summary', { tenantId: 1 }, tenant)).inForce).toBe(0)
  // A sale belongs to the tenant that the device had at that time, also after the device moved.
  await app.db.execute(sql`update devices set tenant_id = 1 where sn = ${mine}`)
  await compareAll(range)
  const own = await app.by({ permissions, dataScope: 4 })
  await app.db.execute(sql`update oss_entitlements set create_by = ${own.uid} where sn = ${other}`)
  expect((await compareAll(range, own)).now).toMatchObject({ inForce: 1, sold: 1, due30: 0 })
  // Videos follow their device: the account sees those of the devices that it created.
  await app.db.execute(sql`insert into oss_device_days (device_id, channel, day, tenant_id, model_id, record_type,
      expire_days, segments, duration_ms, bytes, first_ms, last_ms)
    select id, 1, ${dayOf(clock.now)}::date, tenant_id, model_id, 1, '{}', 2, 8000, case sn when ${other} then 500 else 900 end,
      0, 8000 from devices where sn in (${mine}, ${other})`)
  expect(await figures('summary', {}, own)).toMatchObject({ storedBytes: 0, todayBytes: 0 })
  await app.db.execute(sql`update devices set create_by = ${own.uid} where sn = ${other}`)
  expect(await figures('summary', {}, own)).toMatchObject({ storedBytes: 0, todayBytes: 500 })
  expect((await figures('usage', range, own)).days).toMatchObject([{ bytes: 500, segments: 2, deviceDays: 1 }])
  await app.db.execute(sql`delete from oss_device_days where first_ms = 0`)
  expect(await breaches()).toEqual([])
})

test('STORAGE-13 the statistics can be exported, and a range of more than a year is refused', async () => {
  const range = { startDate: '2026-01-01', endDate: '2027-01-01' }
  const viewer = await app.as('ossManage:ossStatisticalAnalysis:list', 'ossManage:ossStatisticalAnalysis:export')
  const file = await viewer.inject({ method: 'GET', url: `${STAT}/export?format=csv&${query(range)}` })
  expect(file.body).toContain('使用中通道')
  expect(file.body).not.toContain('按客户')
  expect(await viewer.call('GET', `${STAT}/trend?${query({ ...range, endDate: '2027-01-02' })}`)).toMatchObject({
    code: 400,
    msg: '统计范围不能超过 366 天',
    data: { field: 'endDate' },
  })
  expect(await viewer.call('GET', `${STAT}/tenant?${query(range)}`)).toMatchObject({ code: 501 })
})
