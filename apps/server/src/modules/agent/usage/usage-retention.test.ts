import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { mergeUsage, mergeOldUsage } from './usage-merge.ts'

const app = useApp({ OMS_AGENT_USAGE_DAYS: '100' })
const ROOT = '/api/v1/agent/usage'
const [TURNS, CHARACTERS, TOKENS_OUT] = [2, 4, 7] as const
let admin: Caller
let [oldDay, newDay] = ['', '']

/** Adds use of 30 devices of three agents and two tenants on a day. Each device uses two models. */
const addUse = (day: string) =>
  app.db.execute(sql`
    insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost)
    select ${day}::date, 1 + d % 2, 1 + d % 3, d, m, 1, u, (u = ${TOKENS_OUT})::int, d * u, d * 0.25
    from generate_series(1, 30) d, unnest('{4, 5}'::int[]) m, unnest(${sql.param([TURNS, CHARACTERS, TOKENS_OUT])}::int[]) u
    union all select ${day}::date, 1, 1, 0, 4, 2, ${TURNS}, 0, 9, 1`)

const figures = async (day: string) => {
  const range = `startDate=${day}&endDate=${day}`
  const all = [
    admin.call('GET', `${ROOT}/day?${range}`),
    admin.call('GET', `${ROOT}/day?${range}&modelId=4`),
    ...[1, 2, 4, 5].map((by) => admin.call('GET', `${ROOT}/list?${range}&by=${by}&orderByColumn=turns&isAsc=asc`)),
  ]
  return (await Promise.all(all)).map(({ data }) => data)
}
const devicesOn = async (day: string) => {
  const { rows } = await app.db.execute<{ n: number }>(
    sql`select count(distinct device_id)::int as n from agent_usage where day = ${day}::date and device_id > 0`,
  )
  return rows[0]!.n
}

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  const { rows } = await app.db.execute<{ old: string; recent: string }>(
    sql`select (current_date - 101)::text as old, (current_date - 100)::text as recent`,
  )
  ;[oldDay, newDay] = [rows[0]!.old, rows[0]!.recent]
  await addUse(oldDay)
  await addUse(newDay)
  await mergeUsage(app.db)
})

test('AGENT-15 merging old usage removes its devices and keeps all figures by day, tenant, agent, model and source', async () => {
  const before = [await figures(oldDay), await figures(newDay)]
  expect(before[0]![0]).toMatchObject({ total: { deviceDays: 30 } })
  expect(await mergeOldUsage(app.services, { atOnce: 7 })).toEqual({ merged: 30, failedItems: 0 })
  expect([await devicesOn(oldDay), await devicesOn(newDay)]).toEqual([0, 30])
  expect([await figures(oldDay), await figures(newDay)]).toEqual(before)
  expect(await mergeOldUsage(app.services)).toEqual({ merged: 0, failedItems: 0 })
  const devices = await admin.call('GET', `${ROOT}/list?startDate=${oldDay}&endDate=${oldDay}&by=3`)
  expect(devices.data).toMatchObject({ total: 1, list: [{ id: 0, deviceDays: 30 }] })
})

test('AGENT-15 a failed merge of old usage is rolled back', async () => {
  await addUse(oldDay)
  await mergeUsage(app.db)
  const before = await figures(oldDay)
  await app.db.execute(
    sql`create function fail_merge() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$`,
  )
  await app.db.execute(
    sql`create trigger fail_merge before insert on agent_usage for each row execute function fail_merge()`,
  )
  expect(await mergeOldUsage(app.services)).toEqual({ merged: 0, failedItems: 1 })
  await app.db.execute(sql`drop trigger fail_merge on agent_usage`)
  expect(await devicesOn(oldDay)).toBe(30)
  expect(await figures(oldDay)).toEqual(before)
})
