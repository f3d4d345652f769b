import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { closeDueGrants } from '#modules/agent/orders/grant-clock.ts'
import type { ApiResponse } from '#test/harness.ts'
import { ORDER_URL, useOrders } from '#test/fixtures/order-fixture.ts'

const PROGRAM = join(import.meta.dirname, 'fold-use.ts')
const ROWS = 4000
const DAY_MS = 86_400_000
const lab = useOrders()
const { app, people, newDevice, newPackage, place, put, sold, talk, get, one, fold, grantsOf, assertSound } = lab

/** Starts a process that merges use, and kills it some milliseconds after its start. */
async function mergeAndKill(database: string) {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...inject('server'), database })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  await once(child.stdout, 'data')
  await sleep(randomInt(60))
  child.kill('SIGKILL')
  await gone
}

test('AGENT-14 FAULT kill -9 during the merge of usage: usage is charged to grants exactly once', {
  timeout: 300_000,
}, async () => {
  const devices = [await newDevice(), await newDevice()]
  const { id: packageId } = await newPackage({ allowances: [{ unit: 2, amount: 1500 }] })
  const { id } = await sold({ packageId, deviceIds: devices.map((device) => device.id), copies: 2 })
  for (const device of devices)
    await app.db.execute(sql`
      insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n)
      select current_date, d.tenant_id, d.agent_id, d.device_id, 0, 1, 2, 1
      from agent_devices d, generate_series(1, ${ROWS / 2}::int) where d.device_id = ${device.id}`)
  const { name } = await one<{ name: string }>(sql`select current_database() as name`)
  const left = () => one<{ n: number }>(sql`select count(*)::int as n from agent_usage where folded = 0`)
  let kills = 0
  while ((await left()).n > 0 && kills < 15) {
    await mergeAndKill(name)
    kills += 1
    await assertSound()
  }
  await fold()
  expect(kills).toBeGreaterThan(1)
  const spent = (await grantsOf(`orderId=${id}`)).map((row: { packNo: number; spent: number }) => [
    row.packNo,
    row.spent,
  ])
  expect(spent.toSorted()).toEqual([
    [1, 1500],
    [1, 1500],
    [2, 500],
    [2, 500],
  ])
  await assertSound()
})

/** A step with the tables that it writes, in their order. */
interface Step {
  readonly tables: readonly string[]
  /** Creates the data of the step and returns the step, which can be repeated. */
  readonly prepare: () => Promise<() => Promise<unknown>>
}

const run = (text: string) => app.db.execute(sql.raw(text))
const STORED = [
  'agent_orders',
  'agent_order_targets',
  'agent_order_refunds',
  'agent_grants',
  'agent_ledger',
  'agent_trials',
]
/** Digest of everything that the steps write. Without the ids, which an interrupted step consumes. */
const digest = async () => {
  const parts = STORED.map((table) => `(select string_agg(x::text, '|' order by x::text) from ${table} x)`)
  return (await run(`select md5(concat(${parts.join(', ')}, (select sum(n) from agent_usage where folded = 1)))`))
    .rows[0]
}

/** Ends the connection that writes to a table, as if the process were killed between two statements. */
const killAt = (table: string) =>
  run(`create trigger end_connection before insert or update ${table === 'oper_logs' ? '' : 'or delete'} on ${table}
    for each row ${table === 'oper_logs' ? 'when (new.status = 1)' : ''} execute function end_connection()`)
const hasFailed = async (step: () => Promise<unknown>) => {
  const answer = await step().catch(() => undefined)
  return (answer as ApiResponse | undefined)?.code !== 200
}

async function paidOrder(allowances = [{ unit: 2, amount: 100 }], over: object = {}) {
  const device = await newDevice()
  const { id: packageId } = await newPackage({ allowances, ...over })
  const { id } = await sold({ packageId, deviceIds: [device.id], copies: 1 })
  return { id, device }
}
async function refundingOrder() {
  const { id, device } = await paidOrder()
  await talk(device.id, 2, 40)
  await fold()
  const { rev } = await get(id)
  return { id, rev: (await put(people.seller, 'refund', { id, rev, reason: '退货' })).data.rev as number }
}

const STEPS: Readonly<Record<string, Step>> = {
  order: {
    tables: ['agent_orders', 'agent_order_targets', 'oper_logs'],
    prepare: async () => {
      const input = {
        tenantId: people.tenantId,
        packageId: (await newPackage()).id,
        deviceIds: [(await newDevice()).id],
      }
      return () => people.seller.call('POST', ORDER_URL, input)
    },
  },
  'payment with the grants of a trial': {
    tables: ['agent_trials', 'agent_grants', 'agent_ledger', 'agent_orders', 'oper_logs'],
    prepare: async () => {
      const { id: packageId } = await newPackage({ isTrial: 1 })
      const { id } = await place({ packageId, deviceIds: [(await newDevice()).id] })
      return () => put(people.accountant, 'confirm', { id, rev: 0, payWay: 1, voucherNo: `KILL${id}` })
    },
  },
  spend: {
    tables: ['agent_usage', 'agent_grants', 'agent_ledger'],
    prepare: async () => {
      const { device } = await paidOrder()
      await talk(device.id, 2, 30)
      return async () => {
        await fold()
        return { code: 200 }
      }
    },
  },
  'request of a refund': {
    tables: ['agent_grants', 'agent_order_refunds', 'agent_orders', 'oper_logs'],
    prepare: async () => {
      const { id } = await paidOrder()
      const { rev } = await get(id)
      return () => put(people.seller, 'refund', { id, rev, reason: '退货' })
    },
  },
  'approval of a refund': {
    tables: ['agent_order_refunds', 'agent_grants', 'agent_ledger', 'agent_orders', 'oper_logs'],
    prepare: async () => {
      const decision = { ...(await refundingOrder()), pass: 1 }
      return () => put(people.accountant, 'refund/audit', decision)
    },
  },
  'rejection of a refund': {
    tables: ['agent_order_refunds', 'agent_grants', 'agent_orders', 'oper_logs'],
    prepare: async () => {
      const decision = { ...(await refundingOrder()), pass: 0, auditRemark: '继续使用' }
      return () => put(people.accountant, 'refund/audit', decision)
    },
  },
}

describe('a process that is killed between two steps', () => {
  beforeAll(() =>
    run(`create function end_connection() returns trigger language plpgsql security definer as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return coalesce(new, old); end $$`),
  )
  const revive = async () => {
    for (const table of [...STORED, 'agent_usage', 'oper_logs'])
      await run(`drop trigger if exists end_connection on ${table}`)
  }
  afterEach(revive)

  test.each(Object.entries(STEPS))(
    'AGENT-13 AGENT-14 FAULT a kill during %s changes nothing, and the repeated call acts once',
    async (_name, { tables, prepare }) => {
      const step = await prepare()
      const before = await digest()
      for (const table of tables) {
        await killAt(table)
        expect(await hasFailed(step), table).toBe(true)
        await revive()
        expect(await digest(), table).toEqual(before)
        await assertSound()
      }
      expect(await step()).toMatchObject({ code: 200 })
      expect(await digest()).not.toEqual(before)
      await assertSound()
    },
  )

  test('AGENT-13 AGENT-14 FAULT a kill between the steps of agent-grant-clock: the next run completes them', async () => {
    const { id } = await paidOrder([{ unit: 2, amount: 100 }], { validDays: 2, activateDays: 2 })
    const clock = () => closeDueGrants({ ...app.services, now: () => new Date(Date.now() + 3 * DAY_MS) })
    for (const table of ['agent_grants', 'agent_ledger', 'agent_orders']) {
      await killAt(table)
      await expect(clock()).rejects.toThrow()
      await revive()
      await assertSound()
    }
    await clock()
    expect(await get(id)).toMatchObject({ state: 5, units: [{ left: 0, lapsed: 100 }] })
    await assertSound()
  })
})
