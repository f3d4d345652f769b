import { isTaskClosed, TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import pg, { type Pool, type PoolClient } from 'pg'
import { runTransaction } from '#core/database/transactions.ts'
import type { Services } from '#core/services.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { insertOutboxEvent } from '#modules/integration/index.ts'
import type { EnabledRule, OpenTask } from '#modules/device/fleet/state.ts'
import { FETCH_WINDOW_MS } from '#modules/device/wire/pacing.ts'
import type { ChangePublisher } from '#modules/device/wire/presence.ts'
import { sanitizeDeviceText, actionClosed, notFound, DeviceError } from '#modules/device/wire/response.ts'
import { selectInformativeLines } from './feedback.ts'
import { storeReportedPackages, storeReportedVersion } from './versions.ts'

const MAX_LOGS = 1000
const MAX_DETAILS = 50
const DETAIL_LENGTH = 500
const REASON_LENGTH = 500
/** Minimum interval between two stored progress values. */
const PROGRESS_MS = 5000
/** Number of downloads whose last stored progress is kept. */
const MAX_WATCHED = 10_000

export type StatementClient = Pick<pg.ClientBase, 'query'>

/** A task row, locked. */
export interface LockedTask {
  readonly taskId: number
  readonly deviceId: number
  readonly tenantId: number
  readonly otaId: number
  readonly packageName: string
  readonly verCode: number
  readonly state: number
  readonly progress: number
}

/** Message of a device or of the server for the task's log. */
export interface TaskLogEntry {
  readonly execution?: string
  readonly finished?: string
  readonly code?: string | null
  readonly details?: readonly string[]
}

/** Changes of a task. Absent fields stay unchanged. */
export interface TaskStep {
  readonly state?: number
  readonly progress?: number
  readonly reason?: string
  readonly code?: string | null
}

/** Writes tasks for the device protocols. A call returns after its transaction has committed. */
export class Tasks {
  readonly writes: WriteQueue
  readonly #services: Services
  readonly #announcer: ChangePublisher
  readonly #offering = new Set<number>()
  readonly #progressAt = new Map<number, number>()

  constructor(services: Services, announcer: ChangePublisher) {
    this.#services = services
    this.#announcer = announcer
    this.writes = new WriteQueue(services.database.pool)
  }

  /**
   * Creates the task of a matching device. Of several processes one creates the task and the others find it. Returns
   * `full` when the release's tasks per minute are used up.
   */
  async offer(slot: number, rule: EnabledRule): Promise<OpenTask | 'full' | undefined> {
    if (this.#offering.has(slot)) return undefined
    this.#offering.add(slot)
    try {
      const { fleet } = this.#services
      const made = await this.#insert(fleet.slots.ids[slot]!, rule)
      if (!made) await fleet.sync()
      else this.#take(slot, { ...made, slot })
      return fleet.state.openTasks(slot).find(({ packageName }) => packageName === rule.packageName)
    } catch (error) {
      if (error === FULL) return 'full'
      throw error
    } finally {
      this.#offering.delete(slot)
    }
  }

  async #insert(deviceId: number, { otaId, perMinute }: EnabledRule): Promise<Omit<OpenTask, 'slot'> | undefined> {
    const insertion = { ...INSERT_TASK, values: [deviceId, otaId] }
    if (perMinute === null) return (await this.writes.single<Omit<OpenTask, 'slot'>>(insertion)).rows[0]
    return this.writes.run(async (db) => {
      const { rows } = await db.query<Omit<OpenTask, 'slot'>>(insertion)
      // Runs after the insertion, so that an existing task uses none of the tasks per minute. Throws to roll back the
      // insertion.
      if (rows[0] && !(await reserveRolloutTask(db, otaId, perMinute))) throw FULL
      return rows[0]
    })
  }

  /** Adds the task to this process's index. Other processes learn of the task by NOTIFY. */
  #take(slot: number, task: OpenTask) {
    const { state, slots } = this.#services.fleet
    state.setTasks(slot, [...state.openTasks(slot).filter(({ packageName }) => packageName !== task.packageName), task])
    this.#announcer.moved(slots.tenants[slot]!)
  }

  /**
   * Runs `work` with a locked open task of this device. Throws 404 for another device's task, 410 for a closed task.
   */
  async change<T>(
    slot: number,
    taskId: number,
    work: (db: StatementClient, task: LockedTask) => Promise<T>,
  ): Promise<T> {
    const { slots } = this.#services.fleet
    const result = await this.writes.run(async (db) => {
      const task = await lockTask(db, taskId, slots.ids[slot]!)
      if (isTaskClosed(task.state)) throw actionClosed()
      return work(db, task)
    })
    this.#announcer.moved(slots.tenants[slot]!)
    await this.caughtUp()
    return result
  }

  /** Waits until the fleet index contains the last commit, up to a limit, because the commit is valid anyway. */
  caughtUp() {
    return this.#services.fleet.syncWithinLimit()
  }

  /** Starts the download; false when the release has the maximum number of downloads and the device must wait. */
  async begin(task: OpenTask): Promise<boolean> {
    const { tasks, rules } = this.#services.fleet.state
    if ((tasks.get(task.taskId) ?? task).state >= TASK_STATE_CODE.fetched) return true
    const limit = rules.get(task.otaId)?.maxDownloads ?? null
    return this.change(task.slot, task.taskId, async (db, locked) => {
      if (locked.state >= TASK_STATE_CODE.fetched) return true
      if (limit !== null && !(await hasDownloadCapacity(db, locked.otaId, limit))) return false
      await recordTaskStep(db, locked, {}, { state: TASK_STATE_CODE.fetched })
      return true
    })
  }

  /** Records the state that the device reached. Ignores an earlier state. */
  async reached(task: OpenTask, state: number, execution = '') {
    const known = this.#services.fleet.state.tasks.get(task.taskId)
    if (!known || known.state >= state) return
    await this.change(task.slot, task.taskId, async (db, locked) => {
      if (locked.state >= state) return
      await recordTaskStep(
        db,
        locked,
        { execution },
        { state, ...(state === TASK_STATE_CODE.downloaded && { progress: 100 }) },
      )
    }).catch((error: unknown) => {
      // The task was closed meanwhile; the download may end normally.
      this.#services.log.debug({ err: error, taskId: task.taskId }, 'step not noted')
    })
  }

  /** Stores and publishes the download progress at intervals. Does not update the fleet index. */
  progressed(taskId: number, percent: number, now: number) {
    if (now - (this.#progressAt.get(taskId) ?? 0) < PROGRESS_MS) return
    if (this.#progressAt.size >= MAX_WATCHED) this.#progressAt.clear()
    this.#progressAt.set(taskId, now)
    this.#services.database.pool
      .query(
        'update ota_tasks set progress = greatest(progress, $2), update_time = now() where task_id = $1 and close_time is null',
        [taskId, percent],
      )
      .then(() => this.#moved(taskId))
      .catch((error: unknown) => this.#services.log.debug({ err: error }, 'progress not stored'))
  }

  #moved(taskId: number) {
    const { state, slots } = this.#services.fleet
    const task = state.tasks.get(taskId)
    if (task) this.#announcer.moved(slots.tenants[task.slot]!)
  }

  forget(taskId: number) {
    this.#progressAt.delete(taskId)
  }
}

/**
 * Prepared once for each connection, because planning costs more than running. Locks the rows of version and release,
 * so that a stop of the release runs before this statement or finds the new task. The commit does not wait for the
 * disk, because the device has started nothing and later writes follow.
 */
const INSERT_TASK = {
  name: 'offer-task',
  text: `with v as materialized (select * from ota_versions where ota_id = $2 and status = 1 and deleted_at is null for share),
     p as materialized (select * from ota_policies where ota_id = (select ota_id from v) for share),
     quick as materialized (select set_config('synchronous_commit', 'off', true))
   insert into ota_tasks (ota_id, device_id, tenant_id, model_id, package_name, from_ver_code, ver_code, state, attempt)
     select v.ota_id, d.id, d.tenant_id, d.model_id, v.package_name,
       case when v.kind = 1 then d.ver_code else (select ver_code from device_packages k where k.device_id = d.id and k.package_name = v.package_name) end,
       v.ver_code, case when coalesce(p.need_confirm, false) and not exists
         (select from device_auto_confirms c where c.device_id = d.id) then ${TASK_STATE_CODE.confirming} else ${TASK_STATE_CODE.offered} end,
       least(1 + (select count(*) from ota_tasks t where t.device_id = d.id and t.ota_id = v.ota_id), 9999)
     from quick cross join v left join p on true join devices d on d.id = $1
     where d.deleted_at is null and d.status = 1 and coalesce(p.state, 0) < 3
     on conflict (device_id, package_name) where close_time is null do nothing
     returning task_id as "taskId", ota_id as "otaId", package_name as "packageName", ver_code as "verCode", state, pushed,
       extract(epoch from create_time)::float8 * 1000 as "handedAt", extract(epoch from update_time)::float8 * 1000 as "updatedAt"`,
}
const FULL = new Error('the release has handed out all it may in this minute')

async function lockTask(db: StatementClient, taskId: number, deviceId: number): Promise<LockedTask> {
  const { rows } = await db.query<LockedTask>(
    `select task_id as "taskId", device_id as "deviceId", tenant_id as "tenantId", ota_id as "otaId",
       package_name as "packageName", ver_code as "verCode", state, progress
     from ota_tasks where task_id = $1 and device_id = $2 for update`,
    [taskId, deviceId],
  )
  if (!rows[0]) throw notFound('action')
  return rows[0]
}

/** Writes a log entry and the state change of a task. */
export async function recordTaskStep(db: StatementClient, task: LockedTask, entry: TaskLogEntry, step: TaskStep) {
  const state = step.state ?? task.state
  const closes = isTaskClosed(state)
  const details = selectInformativeLines(entry.details ?? [], MAX_DETAILS)
    .map((each) => sanitizeDeviceText(each, DETAIL_LENGTH))
    .filter(Boolean)
  const code = entry.code ?? null
  // One log entry is reserved, so that the last message always fits.
  await db.query(
    `insert into ota_task_logs (task_id, state, execution, finished, code, details) select $1, $2, $3, $4, $5, $6
     where (select count(*) from ota_task_logs where task_id = $1) < $7`,
    [
      task.taskId,
      state,
      sanitizeDeviceText(entry.execution, 16),
      sanitizeDeviceText(entry.finished, 8),
      code,
      details,
      closes ? MAX_LOGS : MAX_LOGS - 1,
    ],
  )
  const moves = state === task.state ? '' : `, state = ${Number(state)}`
  await db.query(
    `update ota_tasks set update_time = now(), progress = $2, reason = coalesce($3, reason), code = coalesce($4, code)
       ${closes ? ', close_time = now()' : ''}${moves} where task_id = $1`,
    [
      task.taskId,
      state === TASK_STATE_CODE.succeeded
        ? 100
        : Math.max(task.progress, Math.min(100, Math.max(0, Math.round(step.progress ?? 0)))),
      step.reason === undefined ? null : sanitizeDeviceText(step.reason, REASON_LENGTH),
      step.code ?? code,
    ],
  )
  if (state === TASK_STATE_CODE.succeeded) await succeed(db, task)
  if (state === TASK_STATE_CODE.failed && state !== task.state) await publishFailure(db, task, step.code ?? code)
}

async function publishFailure(
  db: StatementClient,
  { taskId, otaId, deviceId, tenantId, verCode }: LockedTask,
  code: string | null,
) {
  const { rows } = await db.query<{ sn: string }>('select sn from devices where id = $1', [deviceId])
  const data = { taskId, otaId, deviceId, sn: rows[0]?.sn ?? '', verCode, code }
  await insertOutboxEvent(db, { type: 'task.failed', tenantId, data })
}

/** Records the installed version with its history and requests the device's attributes again. */
async function succeed(db: StatementClient, { deviceId, taskId, packageName, verCode }: LockedTask) {
  if (packageName) return void (await storeReportedPackages(db, deviceId, [{ name: packageName, verCode }]))
  await storeReportedVersion(db, deviceId, { verCode, source: 2, taskId })
  await db.query('update devices set attributes_wanted = 1 where id = $1 and attributes_wanted = 0', [deviceId])
}

/*
 * Enforces the limits of a release over all processes. A transaction that creates a task or starts a download of a
 * limited release locks the release's row as its last lock.
 */

/** Takes one of the tasks that a release may create per minute; false when the limit is reached. */
async function reserveRolloutTask(db: StatementClient, otaId: number, perMinute: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into ota_paces as p (ota_id, since, handed) values ($1, clock_timestamp(), 1)
     on conflict (ota_id) do update set
       since = case when p.since <= excluded.since - interval '1 minute' then excluded.since else p.since end,
       handed = case when p.since <= excluded.since - interval '1 minute' then 1 else p.handed + 1 end
     where p.handed < $2 or p.since <= excluded.since - interval '1 minute'`,
    [otaId, perMinute],
  )
  return (rowCount ?? 0) > 0
}

/** True when another device may download this version. Simultaneous callers wait until this transaction ends. */
async function hasDownloadCapacity(db: StatementClient, otaId: number, maxDownloads: number): Promise<boolean> {
  await db.query(
    `insert into ota_paces as p (ota_id, since, handed) values ($1, clock_timestamp(), 0)
     on conflict (ota_id) do update set handed = p.handed`,
    [otaId],
  )
  const { rows } = await db.query<{ fetching: number }>(
    `select count(*)::int as fetching from (select from ota_tasks where ota_id = $1
       and state in (${TASK_STATE_CODE.fetched}, ${TASK_STATE_CODE.downloading}) and update_time > now() - make_interval(secs => $2) limit $3) t`,
    [otaId, FETCH_WINDOW_MS / 1000, maxDownloads],
  )
  return (rows[0]?.fetching ?? 0) < maxDownloads
}

/**
 * Closes the open task as successful when the device already reports the version of the task. Some devices restart
 * during the update and send no further report. A pushed task may request a reinstallation.
 */
export async function closeByVersion(side: DeviceServices, slot: number, packageName: string, verCode: number) {
  const task = side.services.fleet.state.openTasks(slot).find((each) => each.packageName === packageName)
  if (!task || task.verCode !== verCode || (task.pushed && task.state < TASK_STATE_CODE.fetched)) return
  await side.tasks.change(slot, task.taskId, (db, locked) =>
    recordTaskStep(
      db,
      locked,
      { details: ['设备报告已运行目标版本'] },
      { state: TASK_STATE_CODE.succeeded, reason: '' },
    ),
  )
  side.tasks.forget(task.taskId)
  side.downloads.forget(task.taskId)
}

/** Number of simultaneous device writes. The console shares the connection pool. */
const MAX_CONCURRENT_WRITES = 6
/** Maximum number of waiting writes. More would only time out. */
const MAX_WAITING = 2000

/** Runs the transactions of devices, a few at a time. Throws 503 when too many transactions wait. */
class WriteQueue {
  readonly #pool: Pool
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  run<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#inTurn(() => runTransaction(this.#pool, work))
  }

  /** Runs one statement without a transaction, which needs a quarter of the database round trips. */
  single<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    return this.#inTurn(async () => {
      const client = await this.#pool.connect()
      try {
        return await client.query<Row>(statement)
      } finally {
        client.release()
      }
    })
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_CONCURRENT_WRITES) {
      if (this.#waiting.length >= MAX_WAITING) throw new DeviceError(503, 'busy', 30)
      await new Promise<void>((go) => this.#waiting.push(go))
    } else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
