import { sql } from 'drizzle-orm'
import { beforeAll, expect } from 'vitest'
import { mergeUsage } from '../usage/fold-usage.ts'
import { ensureVoiceModel } from '../models/voice-model.ts'
import { ORDER_INVARIANT_QUERY } from './invariants.ts'
import { type ApiResponse, type Caller, useApp } from '#test/harness.ts'

export const ORDER_URL = '/api/v1/agent/order'

/** Returns a function that counts from 1. */
function counter() {
  let last = 0
  return () => {
    last += 1
    return last
  }
}

/**
 * Starts the server with a seller, an accountant and a tenant with devices. Returns functions that order and use
 * packages.
 */
export function useOrders() {
  const app = useApp()
  const people = {} as {
    seller: Caller
    accountant: Caller
    tenant: Caller
    tenantId: number
    agentId: number
    modelId: number
  }
  const next = counter()

  beforeAll(async () => {
    people.seller = await app.by({ superAdmin: true })
    people.accountant = await app.by({ superAdmin: true })
    people.tenant = await app.by({
      tenant: '订购公司',
      permissions: ['list', 'query', 'add', 'close', 'confirm', 'grant', 'refund', 'refundAudit', 'export'].map(
        (action) => `agent:order:${action}`,
      ),
    })
    people.tenantId = await tenantOf(people.tenant)
    people.modelId = await ensureVoiceModel(app.services)
    people.agentId = await newAgent(people.tenantId)
  })

  const one = async <T>(query: ReturnType<typeof sql>) => (await app.db.execute(query)).rows[0] as T
  const tenantOf = async ({ uid }: Caller) =>
    (await one<{ id: number }>(sql`select tenant_id as id from accounts where uid = ${uid}`)).id
  async function newAgent(tenantId: number) {
    const made = next()
    const { id } = await one<{ id: number }>(sql`
      insert into agents (tenant_id, agent_code, agent_name) values (${tenantId}, ${`AGT_O${made}`}, ${`客服${made}`}) returning id`)
    return id
  }
  /** Creates a device that is bound to an agent. */
  async function newDevice(agentId = people.agentId, tenantId = people.tenantId) {
    const made = next()
    const mac = (0x02_00_00_00_00_00 + made).toString(16).padStart(12, '0')
    const { id } = await one<{ id: number }>(sql`
      insert into devices (tenant_id, model_id, sn, mac) values (${tenantId}, ${people.modelId}, ${`ORD${made}`}, ${mac})
      returning id`)
    await app.db.execute(sql`
      insert into agent_devices (device_id, tenant_id, agent_id, mac) values (${id}, ${tenantId}, ${agentId}, ${mac})`)
    return { id, sn: `ORD${made}`, mac }
  }
  async function newPackage(over: object = {}) {
    const made = next()
    const terms = { scope: 1, activateDays: 180, validDays: 30, price: 900, allowances: [{ unit: 2, amount: 100 }] }
    const input = { packageName: `语音包${made}`, packageCode: `ORD${made}`, ...terms, ...over }
    const { data } = await people.seller.call('POST', '/api/v1/agent/product', input)
    return { ...input, id: data.id as number }
  }
  const put = (who: Caller, call: string, input: object) => who.call('PUT', `${ORDER_URL}/${call}`, input)
  const get = async (id: number, who = people.seller) => (await who.call('GET', `${ORDER_URL}/detail/${id}`)).data

  async function place(input: object, who = people.seller): Promise<{ id: number; orderNo: string }> {
    const answer = await who.call('POST', ORDER_URL, { tenantId: people.tenantId, ...input })
    expect(answer, answer.msg).toMatchObject({ code: 200 })
    return answer.data
  }
  async function confirm(id: number, over: object = {}, who = people.accountant): Promise<ApiResponse> {
    const { rev } = await get(id)
    return put(who, 'confirm', { id, rev, payWay: 1, voucherNo: `V${id}`, ...over })
  }
  async function sold(input: object) {
    const order = await place(input)
    expect((await confirm(order.id)).code).toBe(200)
    return order
  }
  /** Appends use of a device to `agent_usage`, as the turns of a conversation do. */
  const talk = (deviceId: number, unit: number, n: number, at = new Date()) =>
    app.db.execute(sql`
      insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n, used_time)
      select ${at.toISOString()}::timestamptz::date, d.tenant_id, d.agent_id, d.device_id, 0, 1, ${unit}, ${n}, ${at.toISOString()}
      from agent_devices d where d.device_id = ${deviceId}`)
  const fold = () => mergeUsage(app.db)
  const grantsOf = async (query: string, who = people.seller) =>
    (await who.call('GET', `${ORDER_URL}/grant/page?pageSize=200&${query}`)).data.list
  const ledgerOf = async (query: string) =>
    (
      await people.seller.call(
        'GET',
        `${ORDER_URL}/ledger/page?pageSize=200&orderByColumn=createTime&isAsc=asc&${query}`,
      )
    ).data.list
  const breaches = async () => (await app.services.database.pool.query<{ what: string }>(ORDER_INVARIANT_QUERY)).rows

  /** Throws when an invariant of the orders is violated. */
  const assertSound = async () => {
    const found = await breaches()
    if (found.length > 0) throw new Error(JSON.stringify(found))
  }

  return {
    app,
    people,
    one,
    newAgent,
    newDevice,
    newPackage,
    put,
    get,
    place,
    confirm,
    sold,
    talk,
    fold,
    grantsOf,
    ledgerOf,
    breaches,
    assertSound,
  }
}
