import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { loadQueues } from '../queue-store.ts'
import { mergeStorageSums, recordDueEntitlements } from '../clock.ts'
import { ENTITLEMENT_URL as URL, useStorage } from '#test/fixtures/storage-fixture.ts'

const app = useApp()
const { at, setNow, call, packages, breaches, addPackage, newDevice, open, rowsOf, shown, step } = useStorage(app)

describe('opening packages', () => {
  test('the plan shows the queue before and after the opening, and opening creates the planned queue', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    const first = (await call('POST', `${URL}/open/plan`, { sns: [sn], packageId: packages['M1'], copies: 2 })).data
    expect(first).toMatchObject({ devices: 1, entitlements: 2, listPrice: 1800, failed: [] })
    expect(first.queues[0].after.map(({ from, to }: { from: string; to: string }) => [from, to])).toEqual([
      ['2026-05-01 10:00:00', '2026-06-01 10:00:00'],
      ['2026-06-01 10:00:00', '2026-07-01 10:00:00'],
    ])
    expect(await rowsOf(sn)).toEqual([])
    expect(await open([sn], 'M1', { copies: 2 })).toMatchObject({ code: 200, msg: '开通成功', data: { done: 1 } })
    expect(await shown(sn)).toEqual([
      [1, '2026-05-01', '2026-06-01'],
      [0, '2026-06-01', '2026-07-01'],
    ])
    expect(await breaches()).toEqual([])
  })

  test('the plan of an override sums the lost time of all devices, also of devices that the plan does not list', async () => {
    at('2026-05-01')
    const sns = await Promise.all(Array.from({ length: 22 }, () => newDevice()))
    await open(sns, 'W1')
    const override = { sns: [...sns, await newDevice()], packageId: packages['M1'], effectMode: 3 }
    const { data } = await call('POST', `${URL}/open/plan`, override)
    expect(data).toMatchObject({ devices: 23, lostDevices: 22, lostSeconds: 22 * 7 * 86_400 })
    expect(data.queues).toHaveLength(20)
  })

  test('the plan of an override shows the lost amount: the paid amount in proportion to the remaining time', async () => {
    at('2026-05-01')
    const [paid, gift] = [await newDevice(), await newDevice()]
    await open([paid], 'W1', { source: 1, amount: 1000 })
    await open([gift], 'W1')
    at('2026-05-02')
    const override = { sns: [paid, gift], packageId: packages['M1'], effectMode: 3 }
    const { data } = await call('POST', `${URL}/open/plan`, override)
    expect(data).toMatchObject({ lostDevices: 2, lostSeconds: 12 * 86_400, lostAmount: 857 })
    expect(data.queues.map(({ lostAmount }: { lostAmount: number }) => lostAmount)).toEqual([857, 0])
  })

  test('a current entitlement shows its used and its remaining time', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await open([sn], 'W1', { copies: 2 })
    at('2026-05-03')
    const { data } = await call('GET', `${URL}/page?sn=${sn}&orderByColumn=startTime&isAsc=asc`)
    const [current, next] = data.list
    expect(current).toMatchObject({ state: 1, usedSeconds: 2 * 86_400, leftSeconds: 5 * 86_400 })
    expect(next).toMatchObject({ state: 0, usedSeconds: 0, leftSeconds: 7 * 86_400 })
    const { data: details } = await call('GET', `${URL}/detail/${current.id}`)
    expect(details.row).toMatchObject({ usedSeconds: 2 * 86_400, leftSeconds: 5 * 86_400 })
  })

  test("opening a package before the current one keeps the current one's remaining time; an override discards it", async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await open([sn])
    at('2026-05-11')
    await open([sn], 'W1', { effectMode: 2 })
    expect(await shown(sn)).toEqual([
      [0, '2026-05-01', '2026-06-08'],
      [1, '2026-05-11', '2026-05-18'],
    ])
    at('2026-05-12')
    const plan = (await call('POST', `${URL}/open/plan`, { sns: [sn], packageId: packages['M1'], effectMode: 3 })).data
    // The package in force was a gift: time is lost, but no money.
    expect(plan.queues[0]).toMatchObject({ lostSeconds: 6 * 86_400, lostAmount: 0 })
    expect(plan.queues[0].before[0]).toMatchObject({ packageName: '套餐W1', to: '2026-05-18 10:00:00' })
    await open([sn], 'M1', { effectMode: 3 })
    expect((await shown(sn)).map(([state]) => state)).toEqual([0, 4, 1])
    expect(await breaches()).toEqual([])
  })

  test('an amount is divided exactly among the channels, and a trial is given once per serial number', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await open([sn], 'M1', { channels: [0, 1], source: 1, amount: 901 })
    expect((await rowsOf(sn)).map(({ amount, channel, source }) => [channel, amount, source])).toEqual([
      [0, 451, 1],
      [1, 450, 1],
    ])
    expect(await open([sn], 'TRY', { effectMode: 1 })).toMatchObject({ code: 200 })
    expect(await open([sn], 'TRY')).toMatchObject({ code: 400, msg: '该设备已领取过试用', data: { field: 'sns' } })
    expect(await breaches()).toEqual([])
  })

  test('entitlements of a device that are opened together share a group number, which differs between devices', async () => {
    at('2026-05-01')
    const sns = [await newDevice(), await newDevice(), await newDevice()]
    await open(sns.slice(0, 2), 'M1', { channels: [0, 1], copies: 2 })
    await open(sns.slice(2), 'M1', { channels: [0] })
    const { rows } = await app.db.execute<{ sn: string; groups: string[]; n: number }>(sql`select sn,
      array_agg(distinct group_no) as groups, count(*)::int as n from oss_entitlements
      where sn = any(${sql.param(sns)}::text[]) group by sn order by sn`)
    expect(rows.map(({ n, groups }) => [n, groups.length])).toEqual([
      [4, 1],
      [4, 1],
      [1, 1],
    ])
    expect(new Set(rows.map(({ groups }) => groups[0])).size).toBe(3)
    expect(rows[2]?.groups).toEqual([''])
  })

  test('devices that cannot receive the package are reported, and the package is opened on the other devices', async () => {
    at('2026-05-01')
    const [good, without] = [await newDevice(), await newDevice(1, 2)]
    const { data } = await open([good, without, 'NONE'])
    expect(data).toMatchObject({
      done: 1,
      failed: [
        { name: without, msg: '该型号不支持云存储' },
        { name: 'NONE', msg: '设备不存在' },
      ],
    })
    expect((await open([good], 'M1', { channels: [2] })).msg).toBe('通道号应为0～1')
    expect((await open([good], 'M1', { channels: [0, 1, 2, 3, 4] })).msg).toBe('该套餐一次最多开通4个通道')
    await open([good], 'W1', { copies: 36 })
    expect((await open([good], 'W1', { copies: 36 })).msg).toBe('该通道待生效套餐已达50个')
    await call('POST', `/api/v1/oss/package/disable/${packages['W1']}`)
    expect((await open([good], 'W1')).msg).toBe('套餐已下架')
    await call('POST', `/api/v1/oss/package/enable/${packages['W1']}`)
    await addPackage('Y5', { periodType: 3, periodCount: 6 })
    expect((await open([good], 'Y5', { copies: 2 })).msg).toBe('到期时间不能超过10年')
  })
})

describe('suspending, resuming, cancelling and renewing', () => {
  test('suspending an entitlement stops its time, and resuming continues with the remaining time', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await open([sn], 'M1', { copies: 2 })
    const [current, waiting] = (await rowsOf(sn)).map(({ id }) => id)
    at('2026-05-11')
    expect(await step('suspend', [current!])).toMatchObject({ code: 200, msg: '已暂停' })
    expect(await step('suspend', [waiting!])).toMatchObject({ msg: '套餐待生效，只有使用中的套餐可以暂停' })
    expect(await shown(sn)).toEqual([
      [3, '2026-05-01', undefined],
      [0, undefined, undefined],
    ])
    const { data } = await call('GET', `${URL}/queue?sn=${sn}`)
    expect(data.channels).toMatchObject([{ serviceState: 2, endTime: null }])
    expect((await open([sn], 'M1', { effectMode: 2 })).msg).toBe('当前套餐已暂停，请先恢复，或选择排到队尾')
    at('2026-07-01')
    expect(await step('resume', [current!])).toMatchObject({ code: 200, msg: '已恢复' })
    expect(await shown(sn)).toEqual([
      [1, '2026-05-01', '2026-07-22'],
      [0, '2026-07-22', '2026-08-22'],
    ])
    expect(await breaches()).toEqual([])
  })

  test('after a cancellation the next package starts earlier, and a renewal is added to the end of the queue', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await open([sn], 'M1', { copies: 2 })
    const [current] = (await rowsOf(sn)).map(({ id }) => id)
    at('2026-05-11')
    expect(await step('cancel', [current!])).toMatchObject({ code: 200, msg: '已取消' })
    expect((await step('cancel', [current!])).msg).toBe('套餐已取消，只有待生效、使用中、已暂停的套餐可以取消')
    const renewal = { ids: [current], reason: '续费', source: 1, amount: 900 }
    expect(await call('POST', `${URL}/renew`, renewal)).toMatchObject({ code: 200, msg: '已续期' })
    expect(await shown(sn)).toEqual([
      [4, '2026-05-01', '2026-05-11'],
      [1, '2026-05-11', '2026-06-11'],
      [0, '2026-06-11', '2026-07-11'],
    ])
    const { data } = await call('GET', `${URL}/detail/${current}`)
    expect(data.ledger.map(({ kind, balance }: { kind: number; balance: number }) => [kind, balance])).toEqual([
      [1, 31 * 86_400],
      [2, 21 * 86_400],
      [4, 0],
    ])
    expect(await breaches()).toEqual([])
  })

  test('suspending an entitlement does not change the end of queues that had already ended', async () => {
    at('2026-05-01')
    const [ended, running] = [await newDevice(), await newDevice()]
    await open([ended], 'W1')
    await open([running])
    at('2026-05-20')
    await recordDueEntitlements(app.services)
    const endOf = async () =>
      (await call('GET', `${URL}/queue?sn=${ended}`)).data.channels.map(({ endTime }: { endTime: string }) => endTime)
    expect(await endOf()).toEqual(['2026-05-08 10:00:00'])
    const ids = [(await rowsOf(ended))[0]!.id, (await rowsOf(running))[0]!.id]
    expect((await step('suspend', ids)).data).toMatchObject({ done: 1, failed: [{ name: ended }] })
    expect(await endOf()).toEqual(['2026-05-08 10:00:00'])
  })

  test('the limit of ten years per queue also applies while the current package is suspended', async () => {
    at('2026-05-01')
    await addPackage('Y6', { periodType: 3, periodCount: 6 })
    const sn = await newDevice()
    await open([sn], 'Y6')
    const [row] = await rowsOf(sn)
    await step('suspend', [row!.id])
    expect((await open([sn], 'Y6')).msg).toContain('到期时间不能超过10年')
    expect(await rowsOf(sn)).toHaveLength(1)
  })

  test('a change is refused when the device moved to another tenant after its tenant was read', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await open([sn])
    const { rows } = await app.db.execute<{ id: number }>(sql`select id from devices where sn = ${sn}`)
    const key = { deviceId: rows[0]!.id, channel: 0, tenantId: 1 }
    const lock = () => app.db.transaction((db) => loadQueues(db, [key], true))
    expect((await lock()).size).toBe(1)
    await app.db.execute(sql`update devices set tenant_id = 2 where sn = ${sn}`)
    await expect(lock()).rejects.toThrow('设备已变更客户，请刷新后重试')
  })
})

describe('delayed jobs and deletion', () => {
  test('a delayed job records ends and starts at their scheduled times, and the displayed queue does not change', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await open([sn], 'M1', { copies: 3 })
    at('2026-06-20')
    const queueOf = async () => {
      const { past, planned } = (await call('GET', `${URL}/queue?sn=${sn}`)).data.channels[0]
      return [...past, ...planned].map(({ from, to }: { from: string; to: string }) => [from, to])
    }
    const before = await queueOf()
    expect(await recordDueEntitlements(app.services)).toMatchObject({ queues: expect.any(Number) })
    expect(await queueOf()).toEqual(before)
    expect(await shown(sn)).toEqual([
      [2, '2026-05-01', '2026-06-01'],
      [1, '2026-06-01', '2026-07-01'],
      [0, '2026-07-01', '2026-08-01'],
    ])
    at('2027-01-01')
    await recordDueEntitlements(app.services)
    expect((await shown(sn)).map(([state]) => state)).toEqual([2, 2, 2])
    expect(await recordDueEntitlements(app.services)).toEqual({ queues: 0, failedItems: 0 })
    expect(await breaches()).toEqual([])
    expect(await mergeStorageSums(app.services)).toEqual({ failedItems: 0 })
    expect(await breaches()).toEqual([])
  })

  test('a device with cloud storage that has not expired cannot be deleted', async () => {
    setNow(Date.now())
    const sn = await newDevice()
    await open([sn])
    const { rows } = await app.db.execute<{ id: number }>(sql`select id from devices where sn = ${sn}`)
    const { data, msg } = await call('DELETE', `/api/v1/device/info?ids=${rows[0]!.id}`)
    expect(JSON.stringify([data, msg])).toContain('未到期的云存储')
  })
})
