import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { ENTITLEMENT_URL as URL, useStorage } from '#test/fixtures/storage-fixture.ts'

const app = useApp()
const { at, call, breaches, addPackage, newDevice, open, rowsOf, shown, step } = useStorage(app)
const DAY = 86_400

interface Item {
  readonly id: number
  readonly targetSn: string
  readonly targetChannel?: number
}
const transfer = (items: readonly Item[]) => call('POST', `${URL}/transfer`, { items, reason: '换机' })
const idsOf = async (sn: string) => (await rowsOf(sn)).map(({ id }) => id)
/** Moves all entitlements of a device. */
const moveAll = async (sn: string, targetSn: string) => (await idsOf(sn)).map((id) => ({ id, targetSn }))
/** Remaining seconds of all entitlements by the ledger, which a transfer must not change. */
const ledgerSeconds = async () =>
  (await app.db.execute<{ n: number }>(sql`select coalesce(sum(seconds), 0)::float8 as n from oss_ledger`)).rows[0]!.n

test('a transfer moves the remaining time of an entitlement to a device of the same tenant', async () => {
  at('2026-05-01')
  const [from, to, foreign] = [await newDevice(), await newDevice(), await newDevice(2)]
  await open([from])
  const [id] = await idsOf(from)
  at('2026-05-11')
  const move = (targetSn: string) => transfer([{ id: id!, targetSn }])
  expect(await move(from)).toMatchObject({ msg: '不能转移到同一设备', data: { field: 'items.0.targetSn' } })
  expect(await transfer([{ id: id!, targetSn: to, targetChannel: 5 }])).toMatchObject({
    msg: '通道号应为0～1',
    data: { field: 'items.0.targetChannel' },
  })
  expect((await move(foreign)).msg).toBe('目标设备与原设备属于不同客户')
  expect(await move(to)).toMatchObject({ code: 200, msg: '转移成功', data: { done: 1, failed: [] } })
  expect(await shown(from)).toEqual([[5, '2026-05-01', '2026-05-11']])
  expect(await shown(to)).toEqual([[1, '2026-05-11', '2026-06-01']])
  expect((await move(to)).msg).toBe('套餐已转移，只有待生效、使用中的套餐可以转移')
  expect(await breaches()).toEqual([])
})

test('a transfer of all packages of a device keeps channels, order and remaining seconds', async () => {
  at('2026-05-01')
  const [from, to] = [await newDevice(), await newDevice()]
  await open([from], 'M1', { copies: 2 })
  await open([from], 'W1', { channels: [1] })
  at('2026-05-11')
  // Opened in front: the list has another order than the queue.
  await open([from], 'W1', { effectMode: 2 })
  const before = await ledgerSeconds()
  const { data } = await transfer(await moveAll(from, to))
  expect(data).toMatchObject({ done: 3, failed: [{ msg: '套餐已过期，只有待生效、使用中的套餐可以转移' }] })
  const { data: queues } = await call('GET', `${URL}/queue?sn=${to}`)
  const planned = queues.channels.map(({ channel, planned: spans }: { channel: number; planned: { to: string }[] }) => [
    channel,
    spans.map((span) => span.to.slice(0, 10)),
  ])
  expect(planned[0]).toEqual([0, ['2026-05-18', '2026-06-08', '2026-07-08']])
  expect(await ledgerSeconds()).toBe(before)
  expect((await shown(from)).filter(([state]) => state === 5)).toHaveLength(3)
  expect(await breaches()).toEqual([])
})

test('two devices can exchange their packages in one call', async () => {
  at('2026-05-01')
  const [one, other] = [await newDevice(), await newDevice()]
  await open([one], 'M1')
  await open([other], 'W1')
  at('2026-05-03')
  const [[first], [second]] = [await idsOf(one), await idsOf(other)]
  const { data } = await transfer([
    { id: first!, targetSn: other },
    { id: second!, targetSn: one },
  ])
  expect(data).toEqual({ done: 2, failed: [] })
  expect(await shown(one)).toEqual([
    [5, '2026-05-01', '2026-05-03'],
    [1, '2026-05-03', '2026-05-08'],
  ])
  expect(await shown(other)).toEqual([
    [5, '2026-05-01', '2026-05-03'],
    [1, '2026-05-03', '2026-06-01'],
  ])
  expect(await breaches()).toEqual([])
})

test('STORAGE-02 entitlements that cannot be transferred are reported in request order, the others are transferred', async () => {
  at('2026-05-01')
  const sources = [await newDevice(), await newDevice(), await newDevice(), await newDevice()]
  const [to, foreign, ended] = [await newDevice(), await newDevice(2), await newDevice()]
  await open([...sources, ended])
  const ids = (await Promise.all(sources.map(idsOf))).map(([id]) => id!)
  await step('cancel', [ids[3]!])
  const { data } = await transfer([
    { id: 999_999, targetSn: to },
    { id: ids[0]!, targetSn: foreign },
    { id: ids[1]!, targetSn: to },
    { id: ids[2]!, targetSn: 'NONE' },
    { id: ids[3]!, targetSn: to },
  ])
  expect(data).toEqual({
    done: 1,
    failed: [
      { id: 999_999, name: '999999', msg: '开通记录不存在' },
      { id: ids[0], name: sources[0], msg: '目标设备与原设备属于不同客户' },
      { id: ids[2], name: sources[2], msg: '设备不存在' },
      { id: ids[3], name: sources[3], msg: '套餐已取消，只有待生效、使用中的套餐可以转移' },
    ],
  })
  const states = await Promise.all(sources.map(shown))
  expect(states.map(([row]) => row![0])).toEqual([1, 5, 1, 4])
  expect(await breaches()).toEqual([])
})

test('STORAGE-02 one call transfers 1,000 entitlements, and the operation log has a row for each entitlement', async () => {
  at('2026-05-01')
  await app.db.execute(sql`insert into devices (sn, tenant_id, model_id)
    select 'BULK' || lpad(n::text, 4, '0'), 1, 1 from generate_series(0, 1999) n`)
  const sns = Array.from({ length: 2000 }, (_, n) => `BULK${String(n).padStart(4, '0')}`)
  await open(sns.slice(0, 1000))
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from oss_entitlements
    where sn like 'BULK%' order by sn`)
  const items = rows.map(({ id }, n) => ({ id, targetSn: sns[1000 + n]! }))
  expect((await transfer([...items, { id: 1, targetSn: sns[0]! }])).msg).toBe('一次最多选择1000条数据')
  expect((await transfer([items[0]!, items[0]!])).msg).toBe('同一条开通记录不能重复')
  expect((await transfer(items)).data).toEqual({ done: 1000, failed: [] })
  const { rows: logged } = await app.db.execute<{ n: number; records: number }>(sql`
    select count(*)::int as n, count(distinct biz_id)::int as records from oper_logs
    where title = '转移云存储' and status = 1 and action like '%BULK%'`)
  expect(logged[0]).toEqual({ n: 2000, records: 2000 })
  expect(await breaches()).toEqual([])
}, 120_000)

test('the possible targets of a transfer are devices of the same tenant whose model has cloud storage', async () => {
  const [own, foreign, without] = [await newDevice(), await newDevice(2), await newDevice(1, 2)]
  const targetsOf = async (tenantId: number, sn: string) =>
    (await call('GET', `/api/v1/oss/options/target?tenantId=${tenantId}&keyword=${sn}`)).data.list
  expect(await targetsOf(1, own)).toMatchObject([{ name: own, modelName: '双目', cloudChannels: 2 }])
  expect([await targetsOf(1, foreign), await targetsOf(1, without)]).toEqual([[], []])
  expect(await targetsOf(2, foreign)).toMatchObject([{ name: foreign }])
})

test('a transfer to a model that the package does not support or beyond ten years is refused', async () => {
  at('2026-05-01')
  await addPackage('D2ONLY', { modelIds: [1] })
  await app.db.execute(sql`insert into device_models (type_id, model_name, model_code, cloud_channels)
    values (1, '单目', 'D1', 1) on conflict do nothing`)
  const { rows: models } = await app.db.execute<{ id: number }>(
    sql`select id from device_models where model_code = 'D1'`,
  )
  const [from, other, full] = [await newDevice(), await newDevice(1, models[0]!.id), await newDevice()]
  await open([from], 'D2ONLY')
  await addPackage('Y9', { periodType: 3, periodCount: 10 })
  await open([full], 'Y9')
  const [id] = await idsOf(from)
  const move = (targetSn: string) => transfer([{ id: id!, targetSn }])
  expect(await move(other)).toMatchObject({ msg: '目标设备型号不支持该套餐', data: { field: 'items.0.targetSn' } })
  expect(await move(full)).toMatchObject({ msg: '到期时间不能超过10年', data: { field: 'items.0.targetSn' } })
  expect(await shown(full)).toHaveLength(1)
  expect(await breaches()).toEqual([])
})

test('a package that waits behind a suspended package is transferred with its full time', async () => {
  at('2026-05-01')
  const [from, to] = [await newDevice(), await newDevice()]
  await open([from], 'W1', { copies: 2 })
  const [current, waiting] = await idsOf(from)
  await step('suspend', [current!])
  const { data } = await transfer(await moveAll(from, to))
  expect(data).toMatchObject({ done: 1, failed: [{ id: current, msg: expect.stringContaining('套餐已暂停') }] })
  const [moved] = await rowsOf(to)
  expect(moved).toMatchObject({ state: 1, endTime: '2026-05-08 10:00:00' })
  const { data: detail } = await call('GET', `${URL}/detail/${waiting}`)
  expect(detail.ledger.map(({ kind, seconds }: { kind: number; seconds: number }) => [kind, seconds])).toEqual([
    [1, 7 * DAY],
    [5, -7 * DAY],
  ])
  expect(await breaches()).toEqual([])
})

test('30 simultaneous transfers of one entitlement block only two connections, and all but one are refused', async () => {
  at('2026-05-01')
  const [from, to] = [await newDevice(), await newDevice()]
  await open([from])
  const [id] = await idsOf(from)
  at('2026-05-11')
  const { pool } = app.services.database
  const lock = await pool.connect()
  await lock.query('begin')
  await lock.query('select from oss_entitlements where id = $1 for update', [id])
  const waiters = async () => {
    // A transaction caches the activity of all backends.
    await lock.query('select pg_stat_clear_snapshot()')
    const { rows } = await lock.query<{ n: number }>(`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return rows[0]!.n
  }
  const running = Array.from({ length: 30 }, () => transfer([{ id: id!, targetSn: to }]))
  try {
    await expect.poll(waiters, { timeout: 20_000 }).toBeGreaterThan(1)
    expect((await call('GET', `${URL}/page`)).code).toBe(200)
    expect(await waiters()).toBe(2)
  } finally {
    await lock.query('rollback')
    lock.release()
  }
  const answers = await Promise.all(running)
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
  const losers = answers.filter(({ code }) => code !== 200).map(({ msg }) => msg)
  expect([...new Set(losers)]).toEqual(['套餐已转移，只有待生效、使用中的套餐可以转移'])
  expect(await breaches()).toEqual([])
})
