import { TASK } from '@oms/contract/ota-task.ts'
import type { OpenTask } from '#kernel/fleet/state.ts'
import { missing, sendEmpty, sendJson } from '../answer.ts'
import type { Component, Deployment } from '../deployments.ts'
import { errorLines, readFeedback, reasonOf, stepOf } from '../feedback.ts'
import { MANIFEST, sendManifest } from '../manifest.ts'
import type { Call } from '../side.ts'
import { isSkipped, noteSkip, shutFor, SKIPPED, windowOf } from '../window.ts'
import { note } from '../tasks.ts'
import type { Querying } from '../writes.ts'

/** What clients call the kinds of components: Zephyr takes `bApp` only, the others take anything. */
const PART: Readonly<Record<number, string>> = { 1: 'os', 2: 'bApp', 3: 'bApp', 4: 'model', 5: 'license', 99: 'other' }
const MAX_HISTORY = 100

/** The open task of this device; one made by another process a moment ago is waited for. */
export async function openTask({ side, slot }: Call, taskId: number): Promise<OpenTask> {
  const find = () => side.kernel.fleet.state.openTasks(slot).find((task) => task.taskId === taskId)
  const known = find()
  if (known) return known
  await side.tasks.caughtUp()
  const late = find()
  if (!late) throw missing('action')
  return late
}

export async function getDeployment(call: Call, taskId: number) {
  const { side, request, response, query } = call
  const task = await openTask(call, taskId)
  if (task.state === TASK.cancelling || task.state === TASK.confirming) throw missing('action')
  const deployment = await side.deployments.of(task.otaId)
  if (!deployment) throw missing('action')
  if (shutFor(call, task) !== undefined) await side.tasks.change(call.slot, taskId, noteSkip)
  else if (!(await side.tasks.begin(task))) throw side.pacing.refusal(call.slot)
  const described = { ...describe(call, deployment), ...windowOf(call, task) }
  const body = { id: String(taskId), deployment: described, ...(await historyOf(call, taskId, query)) }
  sendJson(request, response, 200, signed(call, deployment, body))
}

/** `deploymentBase/{id}/manifest.json` and `.sig`: what the files have to be, in the words of whoever signed. */
export async function getManifest(call: Call, taskId: number, name: string) {
  const task = await openTask(call, taskId)
  const deployment = await call.side.deployments.of(task.otaId)
  if (!deployment) throw missing('manifest')
  sendManifest(call.request, call.response, name, deployment)
}

/** Zephyr's client reads an answer into a buffer of this size. */
const SMALL_BUFFER = 1100

interface Described {
  readonly id: string
  readonly deployment: { readonly chunks: readonly object[] }
}

/** Says where the signed statement is; not where a small device would choke on the longer answer. */
function signed<T extends Described>({ base }: Call, { manifest }: Deployment, body: T): T {
  const [first, ...rest] = body.deployment.chunks
  if (!manifest || !first) return body
  const value = `${base}/deploymentBase/${body.id}/${MANIFEST}`
  const chunks = [{ ...first, metadata: [{ key: 'manifest', value }] }, ...rest]
  const told = { ...body, deployment: { ...body.deployment, chunks } }
  return rest.length === 0 && JSON.stringify(told).length > SMALL_BUFFER ? body : told
}

/** Chunks and links as hawkBit writes them; short, as small devices read them into small buffers. */
export function describe(call: Call, { components, verName }: Deployment) {
  const chunks = components.map((component) => ({
    part: PART[component.type] ?? 'other',
    version: verName,
    name: component.name,
    artifacts: [artifactOf(call, component)],
  }))
  return { download: 'forced', update: 'forced', chunks }
}

function artifactOf({ base }: Call, { id, fileName, size, sha1, md5, sha256 }: Component) {
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

/** What the device itself said before, newest first; only when it asks. */
async function historyOf({ side }: Call, taskId: number, query: URLSearchParams) {
  const asked = Number(query.get('actionHistory') ?? 0)
  if (!Number.isInteger(asked) || asked === 0) return {}
  const { rows } = await side.kernel.database.pool.query<HistoryRow>(
    `select state, details from ota_task_logs where task_id = $1 and execution <> '' order by id desc limit $2`,
    [taskId, asked < 0 ? MAX_HISTORY : Math.min(asked, MAX_HISTORY)],
  )
  const status = STATUS[side.kernel.fleet.state.tasks.get(taskId)?.state ?? TASK.fetched] ?? 'RUNNING'
  return { actionHistory: { status, messages: rows.flatMap(({ details }) => details) } }
}

const STATUS: Readonly<Record<number, string>> = {
  [TASK.fetched]: 'RETRIEVED',
  [TASK.downloading]: 'DOWNLOAD',
  [TASK.downloaded]: 'DOWNLOADED',
  [TASK.installing]: 'RUNNING',
}

export async function postFeedback(call: Call, taskId: number) {
  const { side, slot, request, response } = call
  const feedback = await readFeedback(request)
  await side.tasks.change(slot, taskId, async (db, task) => {
    if (await isSkipped(db, task, feedback)) return note(db, task, feedback, { state: TASK.offered, reason: SKIPPED })
    const step = stepOf(task, feedback, side.downloads.isOpen(taskId))
    if (step.state === TASK.failed) {
      const details = [...(await earlierErrors(db, taskId)), ...feedback.details]
      return note(db, task, feedback, { ...step, reason: reasonOf({ ...feedback, details }) })
    }
    return note(db, task, feedback, step)
  })
  if (feedback.execution === 'closed') forget(call, taskId)
  sendEmpty(response)
}

/**
 * SWUpdate sends its log in pieces as it goes: on a slow device many lie between the cause and the verdict. So many
 * pieces that speak of an error are looked at.
 */
const LOOK_BACK = 12

async function earlierErrors(db: Querying, taskId: number) {
  const { rows } = await db.query<{ details: string[] }>(
    `select details from ota_task_logs where task_id = $1 and array_to_string(details, ' ') ~* 'error'
     order by id desc limit $2`,
    [taskId, LOOK_BACK],
  )
  return rows.toReversed().flatMap(({ details }) => errorLines(details))
}

function forget({ side }: Call, taskId: number) {
  side.tasks.forget(taskId)
  side.downloads.forget(taskId)
}

interface InstalledRow {
  readonly otaId: number
}

/** The last version this device took successfully, in the shape it was offered. */
export async function getInstalled(call: Call, taskId: number) {
  const { side, slot, request, response } = call
  const { rows } = await side.kernel.database.pool.query<InstalledRow>(
    `select ota_id as "otaId" from ota_tasks where task_id = $1 and device_id = $2 and state = ${TASK.succeeded}`,
    [taskId, side.kernel.fleet.slots.ids[slot]],
  )
  const deployment = rows[0] && (await side.deployments.of(rows[0].otaId))
  if (!deployment) throw missing('action')
  sendJson(request, response, 200, { id: String(taskId), deployment: describe(call, deployment) })
}
