import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type pg from 'pg'
import { changedSince } from '#core/database/statements/changed-since.ts'
import { copyRows } from '#core/database/statements/copy-rows.ts'
import {
  DEFAULT_DEVICE_ACCESS,
  type FleetState,
  type Model,
  FAILURES_THAT_STOP_RETRIES,
  type OpenTask,
} from './state.ts'

const DEVICE_SQL = `select id, tenant_id, model_id, sn, ver_code, status, attributes_wanted, deleted_at is not null,
  encode(token_hash, 'hex'), extract(epoch from last_online_time)::bigint, owner_time is not null from devices`

export async function countDevices(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from devices where deleted_at is null',
  )
  return rows[0]!.count
}

/** Loads all existing devices, or those written after a snapshot, including deleted devices. */
export async function loadDevices(client: pg.Client, { slots }: FleetState, since?: string) {
  const which = since === undefined ? 'deleted_at is null' : changedSince(since)
  await copyRows(client, `${DEVICE_SQL} where ${which}`, (row) => {
    const [id, tenantId, modelId, sn, verCode, status, wanted, deleted, tokenHash, seen, moved] = row
    slots.put({
      id: Number(id),
      tenantId: Number(tenantId),
      modelId: Number(modelId),
      sn: sn ?? '',
      verCode: verCode == null ? null : Number(verCode),
      enabled: status === '1',
      wanted: wanted === '1',
      deleted: deleted === 't',
      ownerChanged: moved === 't',
      tokenHash: tokenHash ?? '',
      seen: Number(seen ?? 0),
    })
  })
}

const TASK_SQL = `select task_id as "taskId", device_id as "deviceId", ota_id as "otaId", package_name as "packageName",
  ver_code as "verCode", state, pushed, close_time is null as "isOpen",
  extract(epoch from create_time)::float8 * 1000 as "handedAt", extract(epoch from update_time)::float8 * 1000 as "updatedAt"
  from ota_tasks`

interface TaskRow extends Omit<OpenTask, 'slot'> {
  readonly deviceId: number
  readonly isOpen: boolean
}
/** Number of devices whose tasks are loaded by one query. */
const PAGE = 2000

/** Loads the open tasks and the last installed task of all devices. Rules load the earlier failures. */
export async function loadTasks(client: pg.Client, state: FleetState) {
  const { slots } = state
  await copyRows(
    client,
    `${INSTALLED_SQL} where state = ${TASK_STATE_CODE.succeeded} group by device_id`,
    ([deviceId, taskId]) => {
      const slot = slots.slotOf(Number(deviceId))
      if (slot >= 0) slots.installed[slot] = Number(taskId)
    },
  )
  const ids = await deviceIds(client, 'select distinct device_id from ota_tasks where close_time is null')
  await refreshTasks(client, state, ids)
}

/** Loads the tasks that changed since a snapshot. */
export async function loadChangedTasks(client: pg.Client, state: FleetState, since: string) {
  const ids = await deviceIds(client, `select distinct device_id from ota_tasks where ${changedSince(since)}`)
  await refreshTasks(client, state, ids)
}

async function deviceIds(client: pg.Client, query: string) {
  const ids: number[] = []
  await copyRows(client, query, ([id]) => ids.push(Number(id)))
  return ids
}

async function refreshTasks(client: pg.Client, state: FleetState, ids: readonly number[]) {
  for (let at = 0; at < ids.length; at += PAGE) {
    const some = ids.slice(at, at + PAGE)
    const { rows } = await client.query<TaskRow>(
      `${TASK_SQL} where device_id = any($1) and (close_time is null or (state in (110, 120) and not retried)) order by task_id`,
      [some],
    )
    const byDevice = Map.groupBy(rows, ({ deviceId }) => deviceId)
    const installed = await installedOf(client, some)
    for (const id of some) {
      const slot = state.slots.slotOf(id)
      if (slot < 0) continue
      takeTasks(state, slot, byDevice.get(id) ?? [])
      state.slots.installed[slot] = installed.get(id) ?? 0
    }
  }
}

const INSTALLED_SQL = 'select device_id, max(task_id) as task_id from ota_tasks'

async function installedOf(client: pg.Client, ids: readonly number[]) {
  const { rows } = await client.query<{ device_id: number; task_id: number }>(
    `${INSTALLED_SQL} where device_id = any($1) and state = ${TASK_STATE_CODE.succeeded} group by device_id`,
    [ids],
  )
  return new Map(rows.map(({ device_id, task_id }) => [device_id, task_id]))
}

function takeTasks(state: FleetState, slot: number, rows: readonly TaskRow[]) {
  const modelId = state.slots.models[slot]!
  for (const rule of [...(state.firmware.get(modelId) ?? []), ...(state.packages.get(modelId) ?? [])]) {
    const closed = rows.filter(({ isOpen, otaId }) => !isOpen && otaId === rule.otaId)
    if (closed.length === 0) rule.tried.delete(slot)
    else rule.tried.set(slot, closed.some(({ state: how }) => how === 120) ? FAILURES_THAT_STOP_RETRIES : closed.length)
  }
  const open = rows.filter(({ isOpen }) => isOpen).map((task) => ({ ...task, slot }))
  state.setTasks(slot, open)
}

interface AccessRow {
  readonly tenantId: number
  readonly targetToken: number
  readonly gatewayToken: number
  readonly gatewayTokenHash: Buffer | null
  readonly autoModelId: number | null
  readonly pollSeconds: number
}

/** Loads models, tenants and the authentication settings of tenants. The tables are small and are read completely. */
export async function loadModelsAndTenants(client: pg.Client, state: FleetState) {
  const models = await client.query<Model & { id: number }>(
    `select id, model_code as code, status = 1 and deleted_at is null as "isEnabled", cloud_channels as "cloudChannels",
       boards from device_models`,
  )
  state.setModels(models.rows)
  const tenants = await client.query<{ id: number; no: string; isOpen: boolean; isDeleted: boolean }>(
    `select id, tenant_no as no, status = 1 as "isOpen", deleted_at is not null as "isDeleted" from tenants`,
  )
  state.tenantIds.clear()
  state.closedTenants.clear()
  for (const { id, no, isOpen, isDeleted } of tenants.rows) {
    if (!isDeleted) state.tenantIds.set(no, id)
    if (isDeleted || !isOpen) state.closedTenants.add(id)
  }
  const access = await client.query<AccessRow>(
    `select tenant_id as "tenantId", target_token as "targetToken", gateway_token as "gatewayToken",
       gateway_token_hash as "gatewayTokenHash", auto_model_id as "autoModelId", poll_seconds as "pollSeconds"
     from device_access`,
  )
  state.access.clear()
  for (const { tenantId, targetToken, gatewayToken, ...rest } of access.rows)
    state.access.set(tenantId, { ...rest, targetToken: targetToken === 1, gatewayToken: gatewayToken === 1 })
}

export const findAccess = ({ access }: FleetState, tenantId: number) => access.get(tenantId) ?? DEFAULT_DEVICE_ACCESS
