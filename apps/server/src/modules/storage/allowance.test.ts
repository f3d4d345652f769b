import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { ENTITLEMENT_URL as URL, retryUntilServed, useStorage } from '#test/fixtures/storage-fixture.ts'

const app = useApp()
const { at, call, packages, breaches, newDevice } = useStorage(app)
const ALLOWANCE = '/api/v1/oss/allowance'
const RIGHTS = ['list', 'query', 'open', 'renew', 'allowance'].map((action) => `ossManage:deviceList:${action}`)

let staff: Caller
let tenantId: number
const allowance = async (): Promise<{ id: number; quota: number; used: number; remaining: number; rev: number }> =>
  (await call('GET', `${ALLOWANCE}?tenantId=${tenantId}`)).data.list[0]
const open = (sns: readonly string[], over: object = {}) =>
  staff.call('POST', `${URL}/open`, { sns, packageId: packages['M1'], reason: '客户自助', ...over })

beforeAll(async () => {
  at('2026-05-01')
  staff = await app.by({ tenant: '甲公司', permissions: RIGHTS })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '甲公司'`)
  tenantId = rows[0]!.id
})

describe('STORAGE-02 allowances of tenants', () => {
  test('staff of a tenant cannot open a package without an allowance, and cannot grant an allowance', async () => {
    const sn = await newDevice(tenantId)
    expect(await open([sn])).toMatchObject({ code: 400, msg: '开通额度不足，剩余0份' })
    const own = { tenantId, packageId: packages['M1'], quota: 5 }
    expect(await staff.call('POST', ALLOWANCE, own)).toMatchObject({ code: 501, msg: '您没有权限！' })
  })

  test('opening and renewing use copies of the allowance, and the plan shows the remaining copies', async () => {
    const input = { tenantId, packageId: packages['M1'], quota: 5, remark: '合同 A-1' }
    const granted = await call('POST', ALLOWANCE, input)
    expect(granted).toMatchObject({ code: 200, msg: '额度已发放' })
    expect((await call('POST', ALLOWANCE, input)).msg).toBe('客户「甲公司」已有该套餐的开通额度，请修改额度')
    const sns = [await newDevice(tenantId), await newDevice(tenantId)]
    const asked = { sns, packageId: packages['M1'], copies: 2, channels: [0, 1] }
    const { data: plan } = await staff.call('POST', `${URL}/open/plan`, asked)
    expect(plan).toMatchObject({ copies: 4, allowance: 5, entitlements: 8 })
    expect(await open(sns, { copies: 2, channels: [0, 1] })).toMatchObject({ code: 200, data: { done: 2 } })
    expect(await allowance()).toMatchObject({ quota: 5, used: 4, remaining: 1 })
    const ids = (await staff.call('GET', `${URL}/page?sn=${sns[0]}`)).data.list.map(({ id }: { id: number }) => id)
    const renew = (chosen: number[]) => staff.call('POST', `${URL}/renew`, { ids: chosen, reason: '续期' })
    expect(await renew(ids)).toMatchObject({ code: 400, msg: '开通额度不足，剩余1份' })
    expect(await renew([ids[0]])).toMatchObject({ code: 200, msg: '已续期' })
    expect(await allowance()).toMatchObject({ used: 5, remaining: 0 })
    const { data } = await call('GET', `${ALLOWANCE}/ledger/${granted.data.id}`)
    expect(data.list.map(({ kind, amount, balance }: Record<string, number>) => [kind, amount, balance])).toEqual([
      [4, -1, 0],
      [4, -4, 1],
      [1, 5, 5],
    ])
    expect((await call('POST', `${URL}/open/plan`, asked)).data.allowance).toBeNull()
    expect(await breaches()).toEqual([])
  })

  test('the quota of an allowance can be raised, but not set below the used copies', async () => {
    const { id, rev } = await allowance()
    const change = (quota: number, revision = rev) =>
      call('PUT', ALLOWANCE, { id, rev: revision, quota, remark: '追加' })
    expect(await change(4)).toMatchObject({ msg: '额度不能小于已使用的5份', data: { field: 'quota' } })
    expect(await change(15)).toMatchObject({ code: 200, data: { rev: rev + 1 } })
    expect((await change(20)).data.conflict.rev).toBe(rev + 1)
    expect(await allowance()).toMatchObject({ quota: 15, used: 5, remaining: 10 })
  })

  test('50 parallel calls open exactly as many packages as the allowance has copies', {
    timeout: 120_000,
  }, async () => {
    const sns = await Promise.all(Array.from({ length: 50 }, () => newDevice(tenantId)))
    const answers = await Promise.all(sns.map((sn) => retryUntilServed(() => open([sn]))))
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(10)
    expect(new Set(answers.filter(({ code }) => code !== 200).map(({ msg }) => msg))).toEqual(
      new Set(['开通额度不足，剩余0份']),
    )
    expect(await allowance()).toMatchObject({ used: 15, remaining: 0 })
    expect(await breaches()).toEqual([])
  })

  test('other tenants cannot see an allowance or its ledger', async () => {
    const other = await app.by({ tenant: '乙公司', permissions: RIGHTS })
    expect((await other.call('GET', ALLOWANCE)).data.total).toBe(0)
    expect((await staff.call('GET', ALLOWANCE)).data.total).toBe(1)
    const id = (await allowance()).id
    expect((await other.call('GET', `${ALLOWANCE}/ledger/${id}`)).code).toBe(400)
  })
})

test('STORAGE-11 a trial is given once per serial number, also after the device moved to another tenant', async () => {
  const sn = await newDevice(1)
  const trial = { sns: [sn], packageId: packages['TRY'], reason: '新机体验' }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => retryUntilServed(() => call('POST', `${URL}/open`, trial))),
  )
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
  expect(new Set(answers.filter(({ code }) => code !== 200).map(({ msg }) => msg))).toEqual(
    new Set(['该设备已领取过试用']),
  )
  // The same serial number as a new device of another tenant.
  await app.db.execute(sql`update devices set deleted_at = now() where sn = ${sn}`)
  await app.db.execute(sql`insert into devices (sn, tenant_id, model_id) values (${sn}, ${tenantId}, 1)`)
  await call('POST', ALLOWANCE, { tenantId, packageId: packages['TRY'], quota: 3 })
  expect(await staff.call('POST', `${URL}/open`, trial)).toMatchObject({ code: 400, msg: '该设备已领取过试用' })
})
