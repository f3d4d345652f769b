import { isTaskClosed, TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { DdiCall } from '#main/devices/device-services.ts'
import type { OpenTask } from '#modules/device/fleet/state.ts'
import { notFound, sendEmpty, sendJson, DeviceError } from '#modules/device/wire/response.ts'
import { type Component, type Deployment, MANIFEST_FILE_NAME, sendManifest } from '../artifact.ts'
import {
  toLogEntry,
  filterErrorLines,
  readFeedback,
  findFailureReason,
  determineStep,
  type Feedback,
  UNREADABLE_REPORT,
} from '../feedback.ts'
import {
  isReleasePaused,
  isSkippedInstallation,
  recordSkip,
  computeSecondsUntilOpen,
  SKIPPED_TEXT,
  findMaintenanceWindow,
} from '../maintenance-window.ts'
import { recordTaskStep, type StatementClient, type TaskStep } from '../tasks.ts'

/** Maps component types to chunk types of hawkBit. Zephyr accepts only `bApp`, other clients any type. */
const PART: Readonly<Record<number, string>> = { 1: 'os', 2: 'bApp', 3: 'bApp', 4: 'model', 5: 'license', 99: 'other' }
const MAX_HISTORY = 100

/** Returns the open task of this device. Waits for a task that another process has just created. */
export async function findOpenTask({ side, slot }: DdiCall, taskId: number): Promise<OpenTask> {
  const find = () => side.services.fleet.state.openTasks(slot).find((task) => task.taskId === taskId)
  const known = find()
  if (known) return known
  await side.tasks.caughtUp()
  const late = find()
  if (!late) throw notFound('action')
  return late
}

export async function getDeployment(call: DdiCall, taskId: number) {
  const { side, request, response, query } = call
  const task = await findOpenTask(call, taskId).catch(() => undefined)
  if (!task) return sendClosedDeployment(call, taskId, [TASK_STATE_CODE.succeeded, TASK_STATE_CODE.failed])
  if (task.state === TASK_STATE_CODE.cancelling || task.state === TASK_STATE_CODE.confirming) throw notFound('action')
  if (isReleasePaused(call, task)) throw side.pacing.refusal(call.slot)
  const deployment = await side.deployments.of(task.otaId)
  if (!deployment) throw notFound('action')
  if (computeSecondsUntilOpen(call, task) !== undefined) await side.tasks.change(call.slot, taskId, recordSkip)
  else if (!(await side.tasks.begin(task))) throw side.pacing.refusal(call.slot)
  const described = { ...describeDeployment(call, deployment), ...findMaintenanceWindow(call, task) }
  const body = { id: String(taskId), deployment: described, ...(await historyOf(call, task, query)) }
  sendJson(request, response, 200, signed(call, deployment, body))
}

/** Handles `deploymentBase/{id}/manifest.json` and `.sig`: sends the signed manifest or its signature. */
export async function getManifest(call: DdiCall, taskId: number, name: string) {
  const task = await findOpenTask(call, taskId)
  const deployment = await call.side.deployments.of(task.otaId)
  if (!deployment) throw notFound('manifest')
  sendManifest(call.request, call.response, name, deployment)
}

/** Buffer size of Zephyr's client for a response. */
const SMALL_BUFFER = 1100

interface Described {
  readonly id: string
  readonly deployment: { readonly chunks: readonly object[] }
}

/** Adds the link to the signed manifest unless the response would exceed the buffer of small devices. */
function signed<T extends Described>({ base }: DdiCall, { manifest }: Deployment, body: T): T {
  const [first, ...rest] = body.deployment.chunks
  if (!manifest || !first) return body
  const value = `${base}/deploymentBase/${body.id}/${MANIFEST_FILE_NAME}`
  const chunks = [{ ...first, metadata: [{ key: 'manifest', value }] }, ...rest]
  const told = { ...body, deployment: { ...body.deployment, chunks } }
  return rest.length === 0 && JSON.stringify(told).length > SMALL_BUFFER ? body : told
}

/** Returns chunks and links in hawkBit's format. The text is short, because small devices have small buffers. */
export function describeDeployment(call: DdiCall, { components, verName }: Deployment) {
  const chunks = components.map((component) => ({
    part: PART[component.type] ?? 'other',
    version: verName,
    name: component.name,
    artifacts: [artifactOf(call, component)],
  }))
  return { download: 'forced', update: 'forced', chunks }
}

function artifactOf({ base }: DdiCall, { id, fileName, size, sha1, md5, sha256 }: Component) {
  const href = `${base}/softwaremodules/${id}/artifacts/${encodeURIComponent(fileName)}`
  const sum = { href: `${href}.MD5SUM` }
  return {
    filename: fileName,
    size,
    hashes: { sha1, md5, sha256 },
    _links: { download: { href }, 'download-http': { href }, md5sum: sum, 'md5sum-http': sum },
  }
}

interface HistoryRow {
  readonly state: number
  readonly details: string[]
}

/** Returns the messages of the device, newest first, when the device requests the history. */
async function historyOf(
  { side }: DdiCall,
  { taskId, state }: Pick<OpenTask, 'taskId' | 'state'>,
  query: URLSearchParams,
) {
  const asked = Number(query.get('actionHistory') ?? 0)
  if (!Number.isInteger(asked) || asked === 0) return {}
  const { rows } = await side.services.database.pool.query<HistoryRow>(
    `select state, details from ota_task_logs where task_id = $1 and execution <> '' order by id desc limit $2`,
    [taskId, asked < 0 ? MAX_HISTORY : Math.min(asked, MAX_HISTORY)],
  )
  const known = side.services.fleet.state.tasks.get(taskId)?.state ?? Math.max(state, TASK_STATE_CODE.fetched)
  const status = STATUS[known] ?? 'RUNNING'
  return { actionHistory: { status, messages: rows.flatMap(({ details }) => details) } }
}

const STATUS: Readonly<Record<number, string>> = {
  [TASK_STATE_CODE.fetched]: 'RETRIEVED',
  [TASK_STATE_CODE.downloading]: 'DOWNLOAD',
  [TASK_STATE_CODE.downloaded]: 'DOWNLOADED',
  [TASK_STATE_CODE.succeeded]: 'FINISHED',
  [TASK_STATE_CODE.failed]: 'ERROR',
}

export async function postFeedback(call: DdiCall, taskId: number) {
  const { side, slot, request, response } = call
  const feedback = await readFeedback(request)
  const entry = toLogEntry(feedback)
  const state = await side.tasks.change(slot, taskId, async (db, task) => {
    if (await isSkippedInstallation(db, task, feedback)) {
      await recordTaskStep(db, task, entry, { state: TASK_STATE_CODE.offered, reason: SKIPPED_TEXT })
      return TASK_STATE_CODE.offered
    }
    const step = determineStep(task, feedback, side.downloads.isOpen(taskId))
    const details =
      step.state === TASK_STATE_CODE.failed ? [...(await earlierErrors(db, taskId)), ...feedback.details] : []
    const reason = findFailureReason({ ...feedback, details })
    await recordTaskStep(db, task, entry, details.length > 0 && reason ? { ...step, reason } : step)
    return step.state ?? task.state
  })
  if (isTaskClosed(state)) forget(call, taskId)
  sendEmpty(response)
}

/**
 * Number of earlier log messages searched for the error. SWUpdate sends its log in parts, and on slow devices many
 * parts lie between cause and result.
 */
const LOOK_BACK = 12

async function earlierErrors(db: StatementClient, taskId: number) {
  const { rows } = await db.query<{ details: string[] }>(
    `select details from ota_task_logs where task_id = $1 and array_to_string(details, ' ') ~* 'error'
     order by id desc limit $2`,
    [taskId, LOOK_BACK],
  )
  return rows.toReversed().flatMap(({ details }) => filterErrorLines(details))
}

function forget({ side }: DdiCall, taskId: number) {
  side.tasks.forget(taskId)
  side.downloads.forget(taskId)
}

/** Returns the last version that the device installed, in the format of its deployment. */
export const sendInstalledDeployment = (call: DdiCall, taskId: number) =>
  sendClosedDeployment(call, taskId, [TASK_STATE_CODE.succeeded])

async function sendClosedDeployment(call: DdiCall, taskId: number, states: readonly number[]) {
  const { side, slot, request, response, query } = call
  const { rows } = await side.services.database.pool.query<Pick<OpenTask, 'taskId' | 'otaId' | 'state'>>(
    `select task_id as "taskId", ota_id as "otaId", state from ota_tasks
     where task_id = $1 and device_id = $2 and state = any($3)`,
    [taskId, side.services.fleet.slots.ids[slot], states],
  )
  const deployment = rows[0] && (await side.deployments.of(rows[0].otaId))
  if (!deployment) throw notFound('action')
  const body = { id: String(taskId), deployment: describeDeployment(call, deployment) }
  sendJson(request, response, 200, { ...body, ...(await historyOf(call, rows[0]!, query)) })
}

export async function getCancel(call: DdiCall, taskId: number) {
  const task = await findOpenTask(call, taskId)
  if (task.state !== TASK_STATE_CODE.cancelling) throw notFound('cancellation')
  sendJson(call.request, call.response, 200, { id: String(taskId), cancelAction: { stopId: String(taskId) } })
}

export async function postCancelFeedback(call: DdiCall, taskId: number) {
  const { side, slot, request, response } = call
  const feedback = await readFeedback(request)
  await side.tasks.change(slot, taskId, (db, task) => {
    if (task.state !== TASK_STATE_CODE.cancelling) throw new DeviceError(405, 'this action is not being cancelled')
    return recordTaskStep(db, task, toLogEntry(feedback), stepOf(feedback))
  })
  sendEmpty(response)
}

/**
 * Returns the state of the task after the report, with the same rules as hawkBit. The update continues only after a
 * rejected cancellation.
 */
function stepOf(feedback: Feedback): TaskStep {
  const { execution, isFailure, isUnderstood } = feedback
  const reason = findFailureReason(feedback)
  if (isFailure) return { state: TASK_STATE_CODE.failed, reason: reason || '设备取消升级失败' }
  if (!isUnderstood) return { reason: UNREADABLE_REPORT }
  if (execution === 'rejected') return { state: TASK_STATE_CODE.installing, reason: reason || '设备拒绝取消' }
  if (execution === 'closed' || execution === 'canceled')
    return { state: TASK_STATE_CODE.cancelled, reason: reason || '设备已取消升级' }
  return {}
}
