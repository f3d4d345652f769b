import { isClosed, TASK } from '@oms/contract/ota-task.ts'
import type { LiveRule, OpenTask } from '#kernel/fleet/state.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { clean, gone, missing } from './answer.ts'
import type { Announcer } from './announcer.ts'
import { mostTelling } from './feedback.ts'
import { hasPlace, takeTurn } from './turns.ts'
import { reportPackages, reportVersion } from './versions.ts'
import { type Querying, Writes } from './writes.ts'

const MAX_LOGS = 1000
const MAX_DETAILS = 50
const DETAIL_LENGTH = 500
const REASON_LENGTH = 500
/** A device that took a version this often and still reports an older one would do so for ever. */
const MAX_SUCCESSES = 10
/** Progress is stored at most this often. */
const PROGRESS_MS = 5000
const SYNC_WITHIN_MS = 2000
/** Downloads whose last stored progress is remembered. */
const MAX_WATCHED = 10_000

/** A task as its row says, locked. */
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

/** What a device said, or the server noted. */
export interface Entry {
  readonly execution?: string
  readonly finished?: string
  readonly code?: number | null
  readonly details?: readonly string[]
}

/** What becomes of a task; nothing given stays. */
export interface Step {
  readonly state?: number
  readonly progress?: number
  readonly reason?: string
  readonly code?: number | null
}

/** Everything the devices' side writes about tasks. A call is answered when its transaction has committed. */
export class Tasks {
  readonly writes: Writes
  readonly #kernel: Kernel
  readonly #announcer: Announcer
  readonly #offering = new Set<number>()
  readonly #progressAt = new Map<number, number>()

  constructor(kernel: Kernel, announcer: Announcer) {
    this.#kernel = kernel
    this.#announcer = announcer
    this.writes = new Writes(kernel.database.pool)
  }

  /**
   * Makes the task of a device that matches; of several processes one makes it, the others find it. `full`: the release
   * has handed out all it may in this minute.
   */
  async offer(slot: number, rule: LiveRule): Promise<OpenTask | 'full' | undefined> {
    if (this.#offering.has(slot)) return undefined
    this.#offering.add(slot)
    try {
      const { fleet } = this.#kernel
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

  async #insert(deviceId: number, { otaId, perMinute }: LiveRule): Promise<Omit<OpenTask, 'slot'> | undefined> {
    const insertion = { ...INSERT_TASK, values: [deviceId, otaId] }
    if (perMinute === null) return (await this.writes.single<Omit<OpenTask, 'slot'>>(insertion)).rows[0]
    return this.writes.run(async (db) => {
      const { rows } = await db.query<Omit<OpenTask, 'slot'>>(insertion)
      // After the insertion: where another process was first no turn is used up. Thrown, so that nothing of it stays.
      if (rows[0] && !(await takeTurn(db, otaId, perMinute))) throw FULL
      return rows[0]
    })
  }

  /** Known here at once; other processes hear of it by the database's own notice. */
  #take(slot: number, task: OpenTask) {
    const { state, slots } = this.#kernel.fleet
    state.setTasks(slot, [...state.openTasks(slot).filter(({ packageName }) => packageName !== task.packageName), task])
    this.#announcer.moved(slots.tenants[slot]!)
  }

  /** Does `work` with an open task of this device; 404 for one of another device, 410 when it is closed. */
  async change<T>(slot: number, taskId: number, work: (db: Querying, task: LockedTask) => Promise<T>): Promise<T> {
    const { slots } = this.#kernel.fleet
    const result = await this.writes.run(async (db) => {
      const task = await lockTask(db, taskId, slots.ids[slot]!)
      if (isClosed(task.state)) throw gone()
      return work(db, task)
    })
    this.#announcer.moved(slots.tenants[slot]!)
    await this.caughtUp()
    return result
  }

  /** Waits until the index knows what was just committed; not for ever, as the commit stands anyway. */
  async caughtUp() {
    const late = new Promise((done) => setTimeout(done, SYNC_WITHIN_MS).unref())
    await Promise.race([this.#kernel.fleet.sync(), late])
  }

  /** The device begins to fetch; false: the release has as many downloads as it may, and the device has to wait. */
  async begin(task: OpenTask): Promise<boolean> {
    const { tasks, rules } = this.#kernel.fleet.state
    if ((tasks.get(task.taskId) ?? task).state >= TASK.fetched) return true
    const limit = rules.get(task.otaId)?.maxDownloads ?? null
    return this.change(task.slot, task.taskId, async (db, locked) => {
      if (locked.state >= TASK.fetched) return true
      if (limit !== null && !(await hasPlace(db, locked.otaId, limit))) return false
      await note(db, locked, {}, { state: TASK.fetched })
      return true
    })
  }

  /** The device got as far as this by itself; going back is no step. */
  async reached(task: OpenTask, state: number, execution = '') {
    const known = this.#kernel.fleet.state.tasks.get(task.taskId)
    if (!known || known.state >= state) return
    await this.change(task.slot, task.taskId, async (db, locked) => {
      if (locked.state >= state) return
      await note(db, locked, { execution }, { state, ...(state === TASK.downloaded && { progress: 100 }) })
    }).catch((error: unknown) => {
      // Closed meanwhile: the download may end in peace.
      this.#kernel.log.debug({ err: error, taskId: task.taskId }, 'step not noted')
    })
  }

  /** How far a download is; stored and shown now and then, and told to nobody's index. */
  progressed(taskId: number, percent: number, now: number) {
    if (now - (this.#progressAt.get(taskId) ?? 0) < PROGRESS_MS) return
    if (this.#progressAt.size >= MAX_WATCHED) this.#progressAt.clear()
    this.#progressAt.set(taskId, now)
    this.#kernel.database.pool
      .query(
        'update ota_tasks set progress = greatest(progress, $2), update_time = now() where task_id = $1 and close_time is null',
        [taskId, percent],
      )
      .then(() => this.#moved(taskId))
      .catch((error: unknown) => this.#kernel.log.debug({ err: error }, 'progress not stored'))
  }

  #moved(taskId: number) {
    const { state, slots } = this.#kernel.fleet
    const task = state.tasks.get(taskId)
    if (task) this.#announcer.moved(slots.tenants[task.slot]!)
  }

  forget(taskId: number) {
    this.#progressAt.delete(taskId)
  }
}

/**
 * Prepared once a connection: planning it costs more than running it. The version's and the release's rows are held while
 * the task is made: a stop either comes before, or finds it. The commit does not wait for the disk: the device has begun
 * nothing yet, and what it does next is written after this.
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
         (select from device_auto_confirms c where c.device_id = d.id) then ${TASK.confirming} else ${TASK.offered} end,
       least(1 + (select count(*) from ota_tasks t where t.device_id = d.id and t.ota_id = v.ota_id), 9999)
     from quick cross join v left join p on true join devices d on d.id = $1
     where d.deleted_at is null and d.status = 1 and coalesce(p.state, 0) < 3
       and (select count(*) from ota_tasks t where t.device_id = d.id and t.ota_id = v.ota_id and t.state = ${TASK.succeeded}) < ${MAX_SUCCESSES}
     on conflict (device_id, package_name) where close_time is null do nothing
     returning task_id as "taskId", ota_id as "otaId", package_name as "packageName", ver_code as "verCode", state, pushed,
       extract(epoch from create_time)::float8 * 1000 as "handedAt", extract(epoch from update_time)::float8 * 1000 as "updatedAt"`,
}
const FULL = new Error('the release has handed out all it may in this minute')

async function lockTask(db: Querying, taskId: number, deviceId: number): Promise<LockedTask> {
  const { rows } = await db.query<LockedTask>(
    `select task_id as "taskId", device_id as "deviceId", tenant_id as "tenantId", ota_id as "otaId",
       package_name as "packageName", ver_code as "verCode", state, progress
     from ota_tasks where task_id = $1 and device_id = $2 for update`,
    [taskId, deviceId],
  )
  if (!rows[0]) throw missing('action')
  return rows[0]
}

/** Writes down what was said and what became of the task. */
export async function note(db: Querying, task: LockedTask, entry: Entry, step: Step) {
  const state = step.state ?? task.state
  const closes = isClosed(state)
  const details = mostTelling(entry.details ?? [], MAX_DETAILS)
    .map((each) => clean(each, DETAIL_LENGTH))
    .filter(Boolean)
  const code = Number.isInteger(entry.code) && Math.abs(entry.code as number) < 2 ** 31 ? entry.code : null
  // The last word always fits: one entry is kept free for it.
  await db.query(
    `insert into ota_task_logs (task_id, state, execution, finished, code, details) select $1, $2, $3, $4, $5, $6
     where (select count(*) from ota_task_logs where task_id = $1) < $7`,
    [
      task.taskId,
      state,
      clean(entry.execution, 16),
      clean(entry.finished, 8),
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
      state === TASK.succeeded
        ? 100
        : Math.max(task.progress, Math.min(100, Math.max(0, Math.round(step.progress ?? 0)))),
      step.reason === undefined ? null : clean(step.reason, REASON_LENGTH),
      step.code ?? code,
    ],
  )
  if (state === TASK.succeeded) await succeed(db, task)
}

/** The device runs it now: its version, its history, and its attributes are asked for again. */
async function succeed(db: Querying, { deviceId, taskId, packageName, verCode }: LockedTask) {
  if (packageName) return reportPackages(db, deviceId, [{ name: packageName, verCode }])
  await reportVersion(db, deviceId, { verCode, source: 2, taskId })
  await db.query('update devices set attributes_wanted = 1 where id = $1 and attributes_wanted = 0', [deviceId])
}
