import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { loadQueues } from '#domain/storage/queue-store.ts'
import { mergeStorageSums, runStorageClock } from '../storage-clock.ts'
import { ENTITLEMENT_URL as URL, useStorage } from '../storage-fixture.ts'

const app = useApp()
const { at, setNow, call, packages, breaches, addPackage, newDevice, open, rowsOf, shown, step } = useStorage(app)

describe('opening packages', () => {
  test('the plan shows the queue before and after, and opening creates the planned queue', async () => {
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

  test('the plan of an override counts the lost time of every device, also of those that it does not show', async () => {
    at('2026-05-01')
    const sns = await Promise.all(Array.from({ length: 22 }, () => newDevice()))
    await open(sns, 'W1')
    const override = { sns: [...sns, await newDevice()], packageId: packages['M1'], effectMode: 3 }
    const { data } = await call('POST', `${URL}/open/plan`, override)
    expect(data).toMatchObject({ devices: 23, lostDevices: 22, lostSeconds: 22 * 7 * 86_400 })
    expect(data.queues).toHaveLength(20)
  })

  test('an entitlement in force shows the time that is used and the time that remains now', async () => {
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

  test('a package opened in front keeps the remaining time of the current package, an override does not', async () => {
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
    expect(plan.queues[0].lostSeconds).toBe(6 * 86_400)
    await open([sn], 'M1', { effectMode: 3 })
    expect((await shown(sn)).map(([state]) => state)).toEqual([0, 4, 1])
    expect(await breaches()).toEqual([])
  })

  test('an amount is shared by channels to the fen, and the trial is given once per serial number', async () => {
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

  test('the channels of a device that are opened together have one group number, another device another one', async () => {
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

  test('devices that cannot receive the package are reported, the others are opened', async () => {
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

describe('steps', () => {
  test('suspending stops the clock of an entitlement, and resuming continues with the remaining time', async () => {
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
    expect((await open([sn], 'M1', { effectMode: 2 })).msg).toBe('当前套餐已暂停，请先恢复，或选择排到队尾')
    at('2026-07-01')
    expect(await step('resume', [current!])).toMatchObject({ code: 200, msg: '已恢复' })
    expect(await shown(sn)).toEqual([
      [1, '2026-05-01', '2026-07-22'],
      [0, '2026-07-22', '2026-08-22'],
    ])
    expect(await breaches()).toEqual([])
  })

  test('the next package moves up after a cancellation, and a renewal joins the end of the queue', async () => {
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

  test('a transfer moves the remaining seconds to a device of the same tenant', async () => {
    at('2026-05-01')
    const [from, to, foreign] = [await newDevice(), await newDevice(), await newDevice(2)]
    await open([from])
    const [row] = await rowsOf(from)
    at('2026-05-11')
    const move = (targetSn: string) => call('POST', `${URL}/transfer`, { id: row!.id, targetSn, reason: '换机' })
    expect(await move(from)).toMatchObject({ msg: '不能转移到同一设备', data: { field: 'targetSn' } })
    expect((await move(foreign)).msg).toBe('目标设备与原设备属于不同客户')
    expect(await move(to)).toMatchObject({ code: 200, msg: '转移成功' })
    expect(await shown(from)).toEqual([[5, '2026-05-01', '2026-05-11']])
    expect(await shown(to)).toEqual([[1, '2026-05-11', '2026-06-01']])
    expect((await move(to)).msg).toBe('套餐已转移，只有待生效、使用中的套餐可以转移')
    expect(await breaches()).toEqual([])
  })

  test('the targets of a transfer are the devices of one tenant whose model has cloud storage', async () => {
    const [own, foreign, without] = [await newDevice(), await newDevice(2), await newDevice(1, 2)]
    const targetsOf = async (tenantId: number, sn: string) =>
      (await call('GET', `/api/v1/oss/options/target?tenantId=${tenantId}&keyword=${sn}`)).data.list
    expect(await targetsOf(1, own)).toMatchObject([{ name: own, modelName: '双目', cloudChannels: 2 }])
    expect([await targetsOf(1, foreign), await targetsOf(1, without)]).toEqual([[], []])
    expect(await targetsOf(2, foreign)).toMatchObject([{ name: foreign }])
  })

  test('a transfer is refused to a model that the package does not support, and beyond ten years', async () => {
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
    const [row] = await rowsOf(from)
    const move = (targetSn: string) => call('POST', `${URL}/transfer`, { id: row!.id, targetSn, reason: '换机' })
    expect(await move(other)).toMatchObject({ msg: '目标设备型号不支持该套餐', data: { field: 'targetSn' } })
    expect(await move(full)).toMatchObject({ msg: '到期时间不能超过10年', data: { field: 'targetSn' } })
    expect(await breaches()).toEqual([])
  })

  test('the limit of ten years also holds while the current package is suspended', async () => {
    at('2026-05-01')
    await addPackage('Y6', { periodType: 3, periodCount: 6 })
    const sn = await newDevice()
    await open([sn], 'Y6')
    const [row] = await rowsOf(sn)
    await step('suspend', [row!.id])
    expect((await open([sn], 'Y6')).msg).toContain('到期时间不能超过10年')
    expect(await rowsOf(sn)).toHaveLength(1)
  })

  test('a step is refused when the device moved to another tenant after the step read its tenant', async () => {
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

describe('time', () => {
  test('a late job records ends and starts at their true times, and the queue shows the same before and after', async () => {
    at('2026-05-01')
    const sn = await newDevice()
    await open([sn], 'M1', { copies: 3 })
    at('2026-06-20')
    const queueOf = async () => {
      const { past, planned } = (await call('GET', `${URL}/queue?sn=${sn}`)).data.channels[0]
      return [...past, ...planned].map(({ from, to }: { from: string; to: string }) => [from, to])
    }
    const before = await queueOf()
    expect(await runStorageClock(app.services)).toMatchObject({ queues: expect.any(Number) })
    expect(await queueOf()).toEqual(before)
    expect(await shown(sn)).toEqual([
      [2, '2026-05-01', '2026-06-01'],
      [1, '2026-06-01', '2026-07-01'],
      [0, '2026-07-01', '2026-08-01'],
    ])
    at('2027-01-01')
    await runStorageClock(app.services)
    expect((await shown(sn)).map(([state]) => state)).toEqual([2, 2, 2])
    expect(await runStorageClock(app.services)).toEqual({ queues: 0, failedItems: 0 })
    expect(await breaches()).toEqual([])
    await mergeStorageSums(app.db)
    expect(await breaches()).toEqual([])
  })

  test('a device with unexpired cloud storage cannot be deleted', async () => {
    setNow(Date.now())
    const sn = await newDevice()
    await open([sn])
    const { rows } = await app.db.execute<{ id: number }>(sql`select id from devices where sn = ${sn}`)
    const { data, msg } = await call('DELETE', `/api/v1/device/info?ids=${rows[0]!.id}`)
    expect(JSON.stringify([data, msg])).toContain('未到期的云存储')
  })
})
