import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { OpenTask } from '#modules/device/fleet/state.ts'
import type { PlainCall, PlainResponse } from '#modules/device/wire/request.ts'
import { sanitizeDeviceText, badRequest, notFound } from '#modules/device/wire/response.ts'
import { MANIFEST_FILE_NAME } from './artifact.ts'
import {
  formatResultCode,
  isFailureWord,
  splitUnreadableReport,
  formatJsonValue,
  UNREADABLE_REPORT,
} from './feedback.ts'
import { isReleasePaused, computeSecondsUntilOpen } from './maintenance-window.ts'
import { closeByVersion, type LockedTask, recordTaskStep, type TaskStep } from './tasks.ts'
import { type ReportedPackage, storeReportedPackages, storeReportedVersion, resolveVersions } from './versions.ts'

const MAX_PACKAGES = 50
const NOTHING: PlainResponse = { status: 204 }

/** Last packages reported by each device since its last success, so that a repeated report writes nothing. */
const toldPackages = new Map<number, string>()
const MAX_REMEMBERED_REPORTS = 200_000

/**
 * Handles `check`: returns the next version to install, firmware before packages, or nothing. Cameras whose cloud storage
 * changed get `storage: changed` in addition, until they ask for the state.
 */
export async function handleUpdateCheck(call: PlainCall): Promise<PlainResponse> {
  const response = await nextVersion(call)
  const { fleet, videos } = call.side.services
  const hasCloud = (fleet.state.models.get(call.modelId)?.cloudChannels ?? 0) > 0
  if (!hasCloud || !videos.index.hasChanged(call.slot, call.now)) return response
  return { status: 200, body: { ...response.body, storage: 'changed' } }
}

async function nextVersion(call: PlainCall): Promise<PlainResponse> {
  const { side, slot, body } = call
  const verCode = await versionOf(call, body.verCode)
  const packages = await packagesOf(call, body.packages)
  const news = newsOf(call, verCode, packages)
  if (news.any || side.services.fleet.state.openTasks(slot).length > 0)
    await takeVersions(call, { verCode, packages, news })
  const open = side.services.fleet.state.openTasks(slot)
  const names = ['', ...packages.map(({ name }) => name)]
  const task = names.map((name) => open.find(({ packageName }) => packageName === name)).find((each) => each) ?? open[0]
  if (task) return buildTaskResponse(call, task)
  const { fleet } = side.services
  for (const rule of fleet.candidates(slot, packages, fleet.moment(call.now))) {
    if (!side.pacing.mayOffer(rule, call.now)) throw side.pacing.refusal(slot)
    const made = await side.tasks.offer(slot, rule)
    if (made === 'full') {
      side.pacing.full(rule, call.now)
      throw side.pacing.refusal(slot)
    }
    if (made) return buildTaskResponse(call, made)
  }
  return NOTHING
}

async function versionOf({ side, slot }: PlainCall, value: unknown) {
  if (value === undefined || value === null || value === '') return undefined
  const [verCode] = await resolveVersions(side, slot, [{ name: '', version: value }])
  if (verCode === undefined)
    throw badRequest('verCode is neither a number of at most 9 digits nor the name of a version of this model')
  return verCode
}

async function packagesOf({ side, slot }: PlainCall, value: unknown): Promise<ReportedPackage[]> {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > MAX_PACKAGES)
    throw badRequest(`packages must be a list of at most ${MAX_PACKAGES}`)
  const told = (value as { name?: unknown; verCode?: unknown }[]).map((each) => ({
    name: sanitizeDeviceText(each?.name, 65),
    version: each?.verCode,
  }))
  const numbers = await resolveVersions(side, slot, told)
  const found = new Map<string, ReportedPackage>()
  for (const [at, { name }] of told.entries()) {
    const verCode = numbers[at]
    if (name === '' || name.length > 64 || verCode === undefined) throw badRequest('a package needs name and verCode')
    found.set(name, { name, verCode })
  }
  return [...found.values()]
}

interface News {
  readonly version: boolean
  /** Reported packages as one text; undefined when equal to the last report. */
  readonly packages: string | undefined
  readonly any: boolean
}

/**
 * Returns the reported versions that differ from the known versions. Usually there are none and no write is needed.
 */
function newsOf(
  { side, slot, deviceId }: PlainCall,
  verCode: number | undefined,
  packages: readonly ReportedPackage[],
): News {
  const { slots } = side.services.fleet
  const version = verCode !== undefined && slots.versionOf(slot) !== verCode
  const text = [slots.installed[slot], ...packages.map(({ name, verCode: each }) => `${name}=${each}`)].join(';')
  const changed = packages.length > 0 && toldPackages.get(deviceId) !== text ? text : undefined
  return { version, packages: changed, any: version || changed !== undefined }
}

interface Told {
  readonly verCode: number | undefined
  readonly packages: readonly ReportedPackage[]
  readonly news: News
}

/** Stores the reported versions and closes the tasks that installed them. */
async function takeVersions({ side, slot, deviceId }: PlainCall, { verCode, packages, news }: Told) {
  if (news.any) {
    await side.tasks.writes.run(async (db) => {
      if (news.version) await storeReportedVersion(db, deviceId, { verCode: verCode!, source: 1 })
      if (news.packages !== undefined) await storeReportedPackages(db, deviceId, packages)
    })
    if (toldPackages.size >= MAX_REMEMBERED_REPORTS) toldPackages.clear()
    if (news.packages !== undefined) toldPackages.set(deviceId, news.packages)
    await side.tasks.caughtUp()
  }
  if (verCode !== undefined) await closeByVersion(side, slot, '', verCode)
  for (const each of packages) await closeByVersion(side, slot, each.name, each.verCode)
}

async function buildTaskResponse(call: PlainCall, task: OpenTask): Promise<PlainResponse> {
  const { side, origin } = call
  if (task.state === TASK_STATE_CODE.cancelling) return { status: 200, body: { taskId: task.taskId, cancel: true } }
  if (isReleasePaused(call, task)) return NOTHING
  const shut = computeSecondsUntilOpen(call, task)
  if (shut !== undefined && task.state === TASK_STATE_CODE.offered) return NOTHING
  if (!side.pacing.mayFetch(task, call.now)) throw side.pacing.refusal(call.slot)
  const deployment = await side.deployments.of(task.otaId)
  if (!deployment) return NOTHING
  const { verCode, verName, description, packageName, components, manifest } = deployment
  const mustConfirm = task.state === TASK_STATE_CODE.confirming
  if (!mustConfirm && !(await side.tasks.begin(task))) throw side.pacing.refusal(call.slot)
  return {
    status: 200,
    body: {
      taskId: task.taskId,
      kind: packageName ? 'package' : 'firmware',
      ...(packageName && { packageName }),
      ...(mustConfirm && { confirm: true }),
      ...(shut !== undefined && { install: 'wait', waitSeconds: shut }),
      version: { verCode, verName, description },
      components: components.map(({ id, name, type, fileName, size, md5, sha1, sha256 }) => ({
        name,
        type,
        fileName,
        url: `${origin}/device/v1/files/${task.taskId}/${id}/${encodeURIComponent(fileName)}`,
        size,
        md5,
        sha1,
        sha256,
      })),
      ...(manifest && {
        manifest: { ...manifest, url: `${origin}/device/v1/files/${task.taskId}/${MANIFEST_FILE_NAME}` },
      }),
    },
  }
}

const STATES = {
  downloading: TASK_STATE_CODE.downloading,
  downloaded: TASK_STATE_CODE.downloaded,
  installing: TASK_STATE_CODE.installing,
  succeeded: TASK_STATE_CODE.succeeded,
  failed: TASK_STATE_CODE.failed,
  cancelled: TASK_STATE_CODE.cancelled,
  confirmed: TASK_STATE_CODE.offered,
  denied: TASK_STATE_CODE.confirming,
} as const
type Word = keyof typeof STATES

/** Handles `report`: stores the progress of a task. Returns whether the device should stop. */
export async function handleUpdateReport(call: PlainCall): Promise<PlainResponse> {
  const { side, slot, body, raw } = call
  const taskId = taskOf(call)
  const said = formatJsonValue(body.state).toLowerCase()
  const word = wordOf(said)
  // An incompletely parsed report can only fail a task.
  const counts = word !== undefined && (raw === undefined || word === 'failed')
  const message = sanitizeDeviceText(formatJsonValue(body.message), 500)
  const entry = {
    execution: said || 'unreadable',
    code: formatResultCode(body.code),
    details: raw === undefined ? (message ? [message] : []) : splitUnreadableReport(raw),
  }
  const progress = typeof body.progress === 'number' && Number.isFinite(body.progress) ? body.progress : undefined
  const isCancelling = await side.tasks.change(slot, taskId, async (db, task) => {
    const step = counts ? stepOf(task, word, { message, progress, code: entry.code }) : { reason: UNREADABLE_REPORT }
    await recordTaskStep(db, task, entry, step)
    return task.state === TASK_STATE_CODE.cancelling && !(counts && STATES[word] >= TASK_STATE_CODE.succeeded)
  })
  if (word === undefined)
    throw badRequest(`state must be one of ${Object.keys(STATES).join(', ')}; the report was kept`)
  if (!counts) throw badRequest('the body is not JSON; the report was kept')
  if (STATES[word] >= TASK_STATE_CODE.succeeded) {
    side.tasks.forget(taskId)
    side.downloads.forget(taskId)
  }
  return { status: 200, body: isCancelling ? { taskId, cancel: true } : { taskId } }
}

/** Returns the state a report names; other words for a failure are `failed`. */
function wordOf(said: string): Word | undefined {
  if (Object.hasOwn(STATES, said)) return said as Word
  return isFailureWord(said) ? 'failed' : undefined
}

/** Returns the task of a report: the named task, or the only open task of the device. */
function taskOf({ side, slot, body, raw }: PlainCall): number {
  const taskId = Number(formatJsonValue(body.taskId) || 0)
  if (Number.isInteger(taskId) && taskId > 0 && taskId <= 2 ** 31 - 1) return taskId
  const [only, ...others] = side.services.fleet.state.openTasks(slot)
  if (raw === undefined || !only || others.length > 0) throw badRequest('taskId is missing')
  return only.taskId
}

interface Said {
  readonly message: string
  readonly progress: number | undefined
  readonly code: string | null
}

function stepOf(task: LockedTask, word: Word, { message, progress, code }: Said): TaskStep {
  if (word === 'succeeded') return { state: TASK_STATE_CODE.succeeded, reason: '' }
  if (word === 'failed') return { state: TASK_STATE_CODE.failed, reason: message || '设备报告升级失败', code }
  if (word === 'cancelled') return { state: TASK_STATE_CODE.cancelled, reason: message || '设备取消了升级' }
  if (word === 'confirmed' || word === 'denied') {
    if (task.state !== TASK_STATE_CODE.confirming) throw notFound('confirmation')
    return word === 'confirmed' ? { state: TASK_STATE_CODE.offered } : { reason: message || '设备用户尚未同意' }
  }
  if (task.state === TASK_STATE_CODE.cancelling || task.state === TASK_STATE_CODE.confirming) return {}
  // A late report does not set a task back.
  return { state: Math.max(task.state, STATES[word]), ...(progress !== undefined && { progress }) }
}
