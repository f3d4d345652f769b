import { FULL_ROLLOUT, TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Db } from '#core/database/client.ts'
import type { Caller, useApp } from '#test/harness.ts'

type Server = ReturnType<typeof useApp>

/** All permissions of the release module. */
export const RELEASE_PERMISSIONS = [
  'list',
  'query',
  'enable',
  'export',
  'white',
  'whiteAll',
  'publish',
  'audit',
  'task',
  'push',
].map((key) => `upgrade:ota:${key}`)

let made = 0

/** Creates a model and an enabled version with a test release, created by `createBy`. */
export async function createEnabledVersion(
  db: Db,
  over: { tenantId?: number; createBy?: number; verCode?: number } = {},
) {
  const { tenantId = 1, createBy = 0, verCode = 100 } = over
  made += 1
  const { rows: types } = await db.execute<{ id: number }>(
    sql`insert into device_types (type_name, type_code) values (${`类型U${made}`}, ${`UT${made}`}) returning id`,
  )
  const { rows: models } = await db.execute<{ id: number }>(
    sql`insert into device_models (type_id, model_name, model_code) values (${types[0]?.id}, ${`型号U${made}`}, ${`UM${made}`}) returning id`,
  )
  const modelId = models[0]?.id as number
  const otaId = await insertVersion(db, { tenantId, modelId, createBy, verCode })
  return { modelId, otaId }
}

export async function insertVersion(
  db: Db,
  {
    tenantId = 1,
    createBy = 0,
    verCode = 100,
    modelId,
  }: { tenantId?: number; createBy?: number; verCode?: number; modelId: number },
) {
  const { rows } = await db.execute<{ id: number }>(sql`
    insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date, status, components, create_by, description)
    values (${tenantId}, ${modelId}, ${verCode}, ${`版本${verCode}`}, '2020-01-01 00:00:00', 1, 1, ${createBy}, '修复夜视') returning ota_id as id`)
  const otaId = rows[0]?.id as number
  await db.execute(sql`insert into ota_policies (ota_id, tenant_id) values (${otaId}, ${tenantId})`)
  return otaId
}

/** Creates this many devices of a model with serials from `<prefix>00001`. Returns their ids in order. */
export async function insertDevices(
  db: Db,
  {
    modelId,
    count,
    prefix,
    tenantId = 1,
    verCode = 1,
  }: { modelId: number; count: number; prefix: string; tenantId?: number; verCode?: number | null },
): Promise<number[]> {
  const { rows } = await db.execute<{ id: number }>(sql`
    insert into devices (tenant_id, model_id, sn, dev_name, ver_code)
    select ${tenantId}, ${modelId}, ${prefix}::text || lpad(n::text, 5, '0'), '设备' || n, ${verCode}
    from generate_series(1, ${count}::int) n returning id`)
  return rows.map(({ id }) => id)
}

/** Creates open or closed tasks, one for each device, as the device protocols write them. */
export async function insertTasks(
  db: Db,
  {
    otaId,
    deviceIds,
    state,
    reason = '',
    at = 'now()',
  }: { otaId: number; deviceIds: readonly number[]; state: number; reason?: string; at?: string },
) {
  const closed = state >= TASK_STATE_CODE.succeeded ? sql.raw(at) : sql`null`
  await db.execute(sql`
    insert into ota_tasks (ota_id, device_id, tenant_id, model_id, from_ver_code, ver_code, state, progress, reason, create_time, update_time, close_time)
    select ${otaId}, d.id, d.tenant_id, d.model_id, d.ver_code, v.ver_code, ${state}, ${state === TASK_STATE_CODE.succeeded ? 100 : 30},
      ${reason}, ${sql.raw(at)}, ${sql.raw(at)}, ${closed}
    from devices d, ota_versions v where v.ota_id = ${otaId} and d.id = any(${sql.param([...deviceIds])}::int[]) order by d.id`)
  if (state === TASK_STATE_CODE.succeeded)
    await db.execute(sql`update devices d set ver_code = v.ver_code from ota_versions v
      where v.ota_id = ${otaId} and d.id = any(${sql.param([...deviceIds])}::int[])`)
}

/** Returns the request body of a formal release to all devices. */
export const buildFormalRelease = (otaId: number, over: object = {}) => ({
  otaId,
  rev: 0,
  mode: 2,
  percent: FULL_ROLLOUT,
  stages: [],
  ...over,
})

export const buildStage = (percent: number, over: object = {}) => ({
  percent,
  successPercent: 95,
  errorPercent: 5,
  minReports: 20,
  minMinutes: 30,
  ...over,
})

export const readRelease = async (me: Caller, otaId: number) => {
  const answer = await me.call('GET', `/api/v1/upgrade/release/${otaId}`)
  expect(answer.code, answer.msg).toBe(200)
  return answer.data
}

export const readTenantId = async ({ db }: Server, name: string) => {
  const { rows } = await db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  return rows[0]?.id as number
}
