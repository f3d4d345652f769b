import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Database } from '#core/database/client.ts'
import { readSnapshot, changedSince, readCopiedRowCount, copyRows } from '#core/database/statements/rows.ts'
import type { Events, Topics } from '#core/events/events.ts'
import { coalesceCalls } from '#core/process/concurrency.ts'
import { forceGarbageCollection } from '#core/process/process.ts'
import { loadRules, reloadAllowlists, reloadGroup } from './load-rules.ts'
import type { Slots } from './slots.ts'
import { FleetState, DEFAULT_DEVICE_ACCESS, type Model, FAILURES_THAT_STOP_RETRIES, type OpenTask } from './state.ts'

/** Number of rows above which the garbage after loading is collected, at the cost of some tens of milliseconds. */
const MIN_ROWS_TO_COLLECT_GARBAGE = 100_000
/** Changes within this time are loaded together. */
const PAUSE_MS = 20
/** Pause before the remaining changes are loaded, so that devices waiting for a release are served first. */
const LULL_MS = 10
const RETRY_MS = 250
const MAX_RETRY_MS = 5000
const DYNAMIC_GROUPS_MS = 60_000

/** Another index by slot. It is loaded and updated together with the devices. */
export interface IndexPart {
  load(client: pg.Client, slots: Slots): Promise<void>
  /** Loads the rows that changed since the snapshot `since`. */
  follow(client: pg.Client, slots: Slots, since: string): Promise<void>
}

interface Parts {
  readonly database: Database
  readonly events: Events
  readonly log: Logger
  readonly parts?: readonly IndexPart[]
}

/** Rows of these tables are checked at every load, here or by an `IndexPart`. */
const CHECKED_TABLES = new Set(['devices', 'ota_tasks', 'oss_queues', 'ads', 'ad_programs', 'ad_screens'])

/** Changed members by list: the device ids, or null for all members. */
type Lists = Map<number, Set<number> | null>

/** Published changes that are not loaded yet. */
class Marks {
  references = false
  everything = false
  devices = false
  /** Ids of the versions whose rules must be reloaded; null: all versions. */
  rules: Set<number> | null = new Set()
  readonly allowlists: Lists = new Map()
  readonly groups: Lists = new Map()

  take({ table, lists, devices }: Topics['fleet']) {
    if (table === 'devices') this.devices = true
    if (CHECKED_TABLES.has(table)) return
    if (table === 'ota_versions' || table === 'ota_policies') {
      if (!lists) this.rules = null
      else for (const otaId of lists) this.rules?.add(otaId)
    } else if (table === 'ota_whites' || table === 'device_group_members') {
      if (lists) for (const list of lists) note(table === 'ota_whites' ? this.allowlists : this.groups, list, devices)
      else this.everything = true
    } else if (table === 'device_groups') this.everything = true
    else this.references = true
  }
}

function note(lists: Lists, list: number, devices: readonly number[] | null | undefined) {
  const before = lists.get(list)
  if (before === null || !devices) lists.set(list, null)
  else lists.set(list, new Set([...(before ?? []), ...devices]))
}

/**
 * Keeps an in-memory copy of the data for devices synchronised, on a separate connection. Each load reads the rows of
 * transactions that had not been committed at the previous load, so that a late commit is not missed.
 */
export class IndexSync {
  state = new FleetState()
  readonly #parts: Parts
  #client: pg.Client | undefined
  #snapshot = ''
  #marks = new Marks()
  #loading: Promise<void> | undefined
  #loaded = false
  #closed = false
  #endedAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    parts.events.on('fleet', (change) => {
      if (!this.#loading) return
      this.#marks.take(change)
      if (this.#loaded) void this.sync()
    })
    parts.events.onReconnect(() => {
      if (!this.#loading) return
      this.#marks.everything = true
      if (this.#loaded) void this.sync()
    })
  }

  get database() {
    return this.#parts.database
  }

  get isLoaded() {
    return this.#loaded
  }

  /** Resolves after everything is in memory. The first caller starts the load. */
  load(): Promise<void> {
    return (this.#loading ??= this.#persist(() => this.#loadAll()).then(() => {
      this.#loaded = true
      this.#timer = setInterval(() => void this.#refreshGroups(), DYNAMIC_GROUPS_MS).unref()
      void this.sync()
    }))
  }

  /**
   * Resolves after everything committed before this call has been loaded. Coalesced, because two loads would share
   * one connection.
   */
  readonly sync = coalesceCalls(() => this.#run())

  /** Runs another query on a separate connection after everything is in memory. */
  async using<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    await this.load()
    const client = await this.#open()
    try {
      return await work(client)
    } finally {
      await client.end().catch(() => {})
    }
  }

  async close() {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#client?.end().catch(() => {})
  }

  async #run() {
    const wait = this.#endedAt + PAUSE_MS - performance.now()
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
    await this.#persist(() => this.#follow())
    this.#endedAt = performance.now()
  }

  /** Retries until the load succeeds or the process ends. Polls meanwhile use the last loaded state. */
  async #persist(work: () => Promise<void>) {
    for (let delay = RETRY_MS; !this.#closed; delay = Math.min(delay * 2, MAX_RETRY_MS)) {
      try {
        return await work()
      } catch (error) {
        if (this.#closed) return
        this.#parts.log.warn({ err: error }, 'fleet not in step, trying again')
        this.#marks.everything = true
        await this.#client?.end().catch(() => {})
        this.#client = undefined
        await new Promise((done) => setTimeout(done, delay).unref())
      }
    }
  }

  async #open() {
    const { connection } = this.#parts.database
    const options = `${connection.options ?? ''} -c statement_timeout=0 -c idle_in_transaction_session_timeout=0`
    const client = new pg.Client({ ...connection, options, connectionTimeoutMillis: 5000 })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async #connected() {
    return (this.#client ??= await this.#open())
  }

  async #loadAll() {
    const before = readCopiedRowCount()
    const client = await this.#connected()
    const state = new FleetState(await countDevices(client))
    const snapshot = await readSnapshot(client)
    await loadModelsAndTenants(client, state)
    await loadDevices(client, state)
    await loadRules(client, this.#parts.database.db, state)
    await loadTasks(client, state)
    for (const part of this.#parts.parts ?? []) await part.load(client, state.slots)
    this.state = state
    this.#snapshot = snapshot
    if (readCopiedRowCount() - before >= MIN_ROWS_TO_COLLECT_GARBAGE) forceGarbageCollection()
  }

  async #follow() {
    const before = readCopiedRowCount()
    const marks = this.#marks
    this.#marks = new Marks()
    const { state } = this
    const { db } = this.#parts.database
    const client = await this.#connected()
    const since = this.#snapshot
    const rules = async () => {
      if (marks.everything || !marks.rules) await loadRules(client, db, state)
      else if (marks.rules.size > 0) await loadRules(client, db, state, marks.rules)
    }
    // Rules are loaded before devices, because a person waits for a release to start or stop. When a device change was
    // published, devices are loaded first, because the lists of a release may contain new devices.
    const areDevicesKnown = !marks.devices && !marks.everything
    if (areDevicesKnown) {
      await rules()
      // Devices of a new release poll immediately, and the remaining load would compete with them for the processors.
      if (marks.rules?.size !== 0) await new Promise((done) => setTimeout(done, LULL_MS))
    }
    const snapshot = await readSnapshot(client)
    await loadDevices(client, state, since)
    if (marks.references || marks.everything) await loadModelsAndTenants(client, state)
    if (!areDevicesKnown) await rules()
    if (marks.everything) {
      for (const otaId of state.rules.keys()) note(marks.allowlists, otaId, null)
      for (const id of state.groups.keys()) note(marks.groups, id, null)
    }
    for (const [otaId, few] of marks.allowlists) await reloadAllowlists(client, state, otaId, few)
    for (const [id, few] of marks.groups) await reloadGroup(client, db, state, id, few)
    await loadChangedTasks(client, state, since)
    for (const part of this.#parts.parts ?? []) await part.follow(client, state.slots, since)
    this.#snapshot = snapshot
    if (readCopiedRowCount() - before >= MIN_ROWS_TO_COLLECT_GARBAGE) forceGarbageCollection()
  }

  async #refreshGroups() {
    for (const { id, isDynamic } of this.state.groups.values()) if (isDynamic) note(this.#marks.groups, id, null)
    await this.sync()
  }
}

const DEVICE_SQL = `select id, tenant_id, model_id, sn, ver_code, status, attributes_wanted, deleted_at is not null,
  encode(token_hash, 'hex'), extract(epoch from last_online_time)::bigint, owner_time is not null from devices`

async function countDevices(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from devices where deleted_at is null',
  )
  return rows[0]!.count
}

/** Loads all existing devices, or those written after a snapshot, including deleted devices. */
async function loadDevices(client: pg.Client, { slots }: FleetState, since?: string) {
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
async function loadTasks(client: pg.Client, state: FleetState) {
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
async function loadChangedTasks(client: pg.Client, state: FleetState, since: string) {
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
async function loadModelsAndTenants(client: pg.Client, state: FleetState) {
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
