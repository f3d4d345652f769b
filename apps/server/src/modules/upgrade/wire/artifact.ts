import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { Pool } from 'pg'
import { planSend } from '#core/storage/send.ts'
import { FileMissing } from '#core/storage/store.ts'
import type { DdiCall } from '#main/devices/device-services.ts'
import type { OpenTask } from '#modules/device/fleet/state.ts'
import { DeviceError, notFound, isArtifactDownload, isPartialDownload } from '#modules/device/wire/response.ts'
import { isReleasePaused } from './maintenance-window.ts'
import { recordTaskStep } from './tasks.ts'
import { openAlarm } from './versions.ts'

interface Found {
  readonly task: OpenTask
  readonly component: Component
  readonly deployment: Deployment
}

/** Returns the file of an open or the last installed task of this device. Throws 404 for tasks of other devices. */
export async function findComponent(
  { side, slot }: Pick<DdiCall, 'side' | 'slot'>,
  componentId: number,
): Promise<Found> {
  const look = async (tasks = side.services.fleet.state.openTasks(slot)): Promise<Found | undefined> => {
    for (const task of tasks) {
      if (task.state === TASK_STATE_CODE.confirming) continue
      const deployment = await side.deployments.of(task.otaId)
      const component = deployment?.components.find(({ id }) => id === componentId)
      if (deployment && component) return { task, component, deployment }
    }
    return undefined
  }
  const found = await look()
  if (found) return found
  // Another process may have just created the task.
  await side.tasks.caughtUp()
  const late = (await look()) ?? (await look(await listInstalledTask(side, slot)))
  if (!late) throw notFound('artifact')
  return late
}

/** Returns the last installed task in the form of an open task. A download of its files changes no task. */
async function listInstalledTask({ services }: DdiCall['side'], slot: number): Promise<OpenTask[]> {
  const { rows } = await services.database.pool.query<Omit<OpenTask, 'slot' | 'handedAt' | 'updatedAt'>>(
    `select task_id as "taskId", ota_id as "otaId", package_name as "packageName", ver_code as "verCode", state, pushed
     from ota_tasks where task_id = $1`,
    [services.fleet.slots.installed[slot]],
  )
  return rows.map((row) => ({ ...row, slot, handedAt: 0, updatedAt: 0 }))
}

export const planDownload = (
  { method = 'GET', headers }: IncomingMessage,
  { sha1, size, fileName, createdAt }: Component,
) =>
  planSend(
    { method, headers },
    { sha256: sha1, size, name: fileName, mime: 'application/octet-stream', modifiedAt: createdAt },
  )

/** Sends a component, whole or from the requested offset, and records the progress. */
export async function sendComponent(call: DdiCall, { task, component, deployment }: Found) {
  const { side, request, response } = call
  // Update agents may download while the release is paused: they start within seconds after they fetched the
  // deployment, and report a refused download as a failed update. Other devices may download hours after their check.
  if (!isArtifactDownload(request) && isReleasePaused(call, task)) throw side.pacing.refusal(call.slot)
  const { sha256, size } = component
  const plan = planDownload(request, component)
  if (!plan.range) return void response.writeHead(plan.status, plan.headers).end()
  const { start, end } = plan.range
  const whole = start === 0 && end === size - 1
  // Ranges arrive in any order, the end of a bundle first. Only their sum gives the progress.
  const inPieces = !whole && isPartialDownload(request)
  if (inPieces && !side.downloads.takePiece(task.taskId, task.otaId, call.now))
    throw new DeviceError(429, 'too many pieces', 60)
  if (side.downloads.count >= side.services.config.deviceDownloads * 4)
    throw new DeviceError(503, 'too many downloads', 60)
  // A download without a preceding deployment request also starts the task.
  if (task.state < TASK_STATE_CODE.fetched && !(await side.tasks.begin(task))) throw side.pacing.refusal(call.slot)
  const source = await side.services.files.openRead(sha256, whole ? undefined : plan.range).catch(async (error) => {
    throw error instanceof FileMissing ? await reportMissingFile(call, task, component) : error
  })
  side.downloads.begin(task.taskId, task.otaId)
  void side.tasks.reached(task, TASK_STATE_CODE.downloading, 'download')
  const before = sizeBefore(deployment, component)
  let position = start
  let sent = 0
  source.on('data', (chunk: Buffer) => {
    sent += chunk.length
    position = inPieces ? side.downloads.sentPiece(task.taskId, component.id, chunk.length) : start + sent
    const percent = Math.floor(((before + position) / Math.max(1, deployment.size)) * 100)
    side.tasks.progressed(task.taskId, Math.min(percent, 100), Date.now())
  })
  source.pause()
  response.writeHead(plan.status, plan.headers)
  try {
    await pipeline(source, (chunks: AsyncIterable<Buffer>) => side.lines.paced(task.otaId, chunks), response)
  } finally {
    const isComplete = sent === end - start + 1 && position >= size && response.writableFinished
    const complete = side.downloads.end(task.taskId, component.id, isComplete)
    if (isComplete && complete === deployment.components.length)
      await side.tasks.reached(task, TASK_STATE_CODE.downloaded, 'downloaded')
  }
}

/** Number of attempts after which a client gets 404 for a missing file. SWUpdate retries every interrupted download. */
const MISSING_FILE_ATTEMPTS = 5

/** Reports a missing file to the operator and in the task. Returns the error for the device. */
async function reportMissingFile({ side, slot }: DdiCall, task: OpenTask, { name, sha256 }: Component) {
  side.services.log.error({ otaId: task.otaId, sha256 }, 'component file is missing')
  const reason = `服务器上缺少组件「${name}」的文件`
  // A later failure report of the client gets its reason from this line.
  const line = `ERROR: ${reason}`
  const attempts = await side.tasks.change(slot, task.taskId, async (db, locked) => {
    await openAlarm(db, task.otaId, 'damaged', `${reason}，设备无法下载`)
    await recordTaskStep(db, locked, { details: [line] }, { reason })
    const { rows } = await db.query<{ count: number }>(
      'select count(*)::int from ota_task_logs where task_id = $1 and $2 = any(details)',
      [task.taskId, line],
    )
    return rows[0]!.count
  })
  return attempts < MISSING_FILE_ATTEMPTS
    ? new DeviceError(503, 'the file is not available', 300)
    : notFound('artifact')
}

function sizeBefore({ components }: Deployment, component: Component) {
  return components.slice(0, components.indexOf(component)).reduce((sum, { size }) => sum + size, 0)
}

/** File names of the signed manifest and its signature of 64 bytes. `openssl` can verify both without a parser. */
export const MANIFEST_FILE_NAME = 'manifest.json'
const SIGNATURE = 'manifest.sig'

export const isManifestName = (name: string | undefined): name is string =>
  name === MANIFEST_FILE_NAME || name === SIGNATURE

/** Sends the manifest or its signature; 404 for an unsigned version. */
export function sendManifest(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  { manifest }: Pick<Deployment, 'manifest'>,
) {
  if (!manifest) throw notFound('manifest')
  const isText = name === MANIFEST_FILE_NAME
  const bytes = isText ? Buffer.from(manifest.manifest) : Buffer.from(manifest.signature, 'base64')
  response
    .writeHead(200, {
      'content-type': isText ? 'application/json' : 'application/octet-stream',
      'content-length': bytes.length,
      'cache-control': 'no-store',
    })
    .end(request.method === 'HEAD' ? undefined : bytes)
}

export interface Component {
  readonly id: number
  readonly name: string
  readonly type: number
  readonly fileName: string
  readonly size: number
  readonly md5: string
  readonly sha1: string
  readonly sha256: string
  /** Time at which the version was created, in milliseconds. */
  readonly createdAt: number
}

/** Components of a version. Enabled versions never change, so the data is loaded once. */
export interface Deployment {
  readonly otaId: number
  readonly verCode: number
  readonly verName: string
  readonly description: string
  readonly kind: number
  readonly packageName: string
  readonly components: readonly Component[]
  readonly size: number
  readonly manifest: { readonly manifest: string; readonly signature: string; readonly keyId: string } | null
}

const MAX_KEPT = 500
/** Cache time of the manifest, because a manifest may be signed after the version was enabled. */
const FRESH_MS = 60_000

export class Deployments {
  readonly #pool: Pool
  readonly #kept = new Map<number, { readonly at: number; readonly reading: Promise<Deployment | undefined> }>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  of(otaId: number): Promise<Deployment | undefined> {
    const kept = this.#kept.get(otaId)
    if (kept && performance.now() - kept.at < FRESH_MS) return kept.reading
    const reading = this.#read(otaId)
    this.#kept.delete(otaId)
    this.#kept.set(otaId, { at: performance.now(), reading })
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value as number)
    reading.catch(() => this.#kept.delete(otaId))
    return reading
  }

  async #read(otaId: number): Promise<Deployment | undefined> {
    const versions = await this.#pool.query<Omit<Deployment, 'components' | 'size' | 'manifest'>>(
      `select ota_id as "otaId", ver_code as "verCode", ver_name as "verName", description, kind,
         package_name as "packageName" from ota_versions where ota_id = $1 and status > 0`,
      [otaId],
    )
    const [version] = versions.rows
    if (!version) return undefined
    const { rows: components } = await this.#pool.query<Component>(
      `select id, name, type, file_name as "fileName", size, md5, sha1, sha256,
         (select extract(epoch from create_time)::float8 * 1000 from ota_versions where ota_id = $1) as "createdAt"
       from ota_components where ota_id = $1 order by sort, id`,
      [otaId],
    )
    const manifests = await this.#pool.query<NonNullable<Deployment['manifest']>>(
      // A manifest without a signature is not sent to devices.
      `select manifest, signature, key_id as "keyId" from ota_manifests where ota_id = $1 and signature <> ''`,
      [otaId],
    )
    const size = components.reduce((sum, each) => sum + each.size, 0)
    return { ...version, components, size, manifest: manifests.rows[0] ?? null }
  }
}
