import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'
import type { OpenTask } from '#modules/device/fleet/state.ts'
import { DeviceError, notFound } from '#modules/device/wire/response.ts'
import {
  moveToModel,
  findBoardImage,
  findComponent,
  sendComponent,
  isReleasePaused,
  computeSecondsUntilOpen,
  closeByVersion,
  recordTaskStep,
  storeReportedVersion,
} from '#modules/upgrade/index.ts'
import type { BoundDevice } from '../../devices/bound-devices.ts'
import { addEvents } from '../../devices/device-events.ts'
import { buildModelMovedEvent } from '../../devices/voice-model.ts'
import { type FirmwareOffer, buildNoUpdateOffer, type BootReport } from './boot-report.ts'
import type { XiaozhiCall } from './call.ts'

interface Booted {
  readonly call: XiaozhiCall
  readonly slot: number
  readonly device: BoundDevice
  readonly report: BootReport
}

/** Result when the device must wait because too many other devices upgrade. The response then has no `firmware`. */
const WAITS = 'waits'

/**
 * Applies the reported version and board, and returns the firmware for the same response. Returns undefined when the
 * device must wait for other devices. Also returns undefined when automatic updates are off and no task was pushed.
 */
export async function offerFirmware(booted: Booted): Promise<FirmwareOffer | undefined> {
  const { call, device, report } = booted
  const isFit = await takeReport(booted)
  if (device.autoUpdate === 0 && !hasPush(booted)) return undefined
  const task = isFit ? await taskFor(booted) : undefined
  if (task === WAITS) return undefined
  return (task && (await offerOf(booted, task))) ?? buildNoUpdateOffer(call.origin, report.version)
}

const openTask = ({ call: { side }, slot }: Booted) =>
  side.services.fleet.state.openTasks(slot).find(({ packageName }) => packageName === '')

const hasPush = (booted: Booted) => openTask(booted)?.pushed === true

/** Stores the reported board and version. Returns true when the reported board belongs to the device's model. */
async function takeReport(booted: Booted): Promise<boolean> {
  const { call, slot, device, report } = booted
  const { side } = call
  const { fleet } = side.services
  const modelId = report.boardType === '' ? undefined : fleet.state.modelOfBoard(report.boardType)
  const isMoved = modelId !== undefined && fleet.slots.models[slot] !== modelId
  if (isMoved) {
    const { db } = side.services.database
    const { deviceId, tenantId, mac } = device
    const event = buildModelMovedEvent({ mac, tenantId, board: report.boardType, modelId })
    await db.transaction(async (tx) => {
      if (await moveToModel(tx, deviceId, modelId)) await addEvents(tx, [event])
    })
  }
  const isNew = report.reported !== '' && fleet.slots.versionOf(slot) !== (report.verCode ?? null)
  if (isNew) await storeVersion(booted)
  if (isMoved || isNew) await side.tasks.caughtUp()
  await endTask(booted)
  return modelId !== undefined && fleet.slots.models[slot] === modelId
}

/** Stores the reported version. A version that no release can have is stored as null. */
const storeVersion = ({ call: { side }, device: { deviceId }, report }: Booted) =>
  side.tasks.writes.run((db) => storeReportedVersion(db, deviceId, { verCode: report.verCode ?? null, source: 1 }))

/** Completes the task when the device runs its version, and closes a cancelled task. The firmware reports neither. */
async function endTask(booted: Booted) {
  const { call, slot, report } = booted
  const { tasks } = call.side
  if (report.verCode !== undefined) await closeByVersion(call.side, slot, '', report.verCode)
  const open = openTask(booted)
  if (open?.state !== TASK_STATE_CODE.cancelling) return
  const entry = { details: ['设备已重新启动，未安装该版本'] }
  await tasks.change(slot, open.taskId, (db, task) =>
    recordTaskStep(db, task, entry, { state: TASK_STATE_CODE.cancelled }),
  )
}

async function taskFor(booted: Booted): Promise<OpenTask | typeof WAITS | undefined> {
  const { call, slot, device } = booted
  const { side, now } = call
  const { fleet } = side.services
  const open = openTask(booted)
  if (open) return isReady(call, open) ? (side.pacing.mayFetch(open, now) ? open : WAITS) : undefined
  const rule = device.autoUpdate === 1 ? fleet.match(slot, fleet.moment(now)) : undefined
  if (!rule || !(await imageOf(call, rule.otaId))) return undefined
  if (!side.pacing.mayOffer(rule, now)) return WAITS
  const made = await side.tasks.offer(slot, rule)
  if (made === 'full') side.pacing.full(rule, now)
  if (made === 'full') return WAITS
  return made && isReady(call, made) ? made : undefined
}

/**
 * Returns false while the task needs a confirmation, which these devices cannot send, or while its release is paused or
 * outside its time window.
 */
const isReady = (call: XiaozhiCall, task: OpenTask) =>
  task.state !== TASK_STATE_CODE.confirming &&
  !isReleasePaused(call, task) &&
  computeSecondsUntilOpen(call, task) === undefined

/** Returns version and image of a release. Returns undefined when voice devices cannot install the version. */
async function imageOf({ side }: XiaozhiCall, otaId: number) {
  const deployment = await side.deployments.of(otaId)
  const image = deployment && findBoardImage(deployment)
  if (!deployment || !image) return undefined
  return { version: deployment.verName, componentId: image.id }
}

async function offerOf({ call }: Booted, { taskId, otaId }: OpenTask): Promise<FirmwareOffer | undefined> {
  const image = await imageOf(call, otaId)
  if (!image) return undefined
  const { secretKey } = call.side.services.config
  const { version, componentId } = image
  return { version, url: `${call.origin}${createFirmwarePath(secretKey, { taskId, componentId }, call.now)}` }
}

const USE = 'xiaozhi-firmware'
const LINK_SECONDS = 86_400

interface Linked {
  readonly taskId: number
  readonly componentId: number
}

/** Returns the path of an image. The path is the only credential: the firmware sends no headers with a download. */
const createFirmwarePath = (secretKey: Buffer, { taskId, componentId }: Linked, nowMs: number) =>
  `/xiaozhi/otaMag/download/${signNumbers(secretKey, USE, [taskId, componentId, Math.floor(nowMs / 1000) + LINK_SECONDS])}`

/** Sends the image of a link while its task is open. */
export async function downloadFirmware(call: XiaozhiCall, token: string) {
  const { side, request, response, now } = call
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new DeviceError(405, 'GET or HEAD only')
  const { fleet, config } = side.services
  const [taskId = 0, componentId = 0, end = 0] = readNumbers(config.secretKey, USE, token, 3) ?? []
  if (end * 1000 < now) throw notFound('file')
  if (!fleet.state.tasks.has(taskId)) await side.tasks.caughtUp()
  const task = fleet.state.tasks.get(taskId)
  if (!task || task.state === TASK_STATE_CODE.cancelling) throw notFound('file')
  const { slot } = task
  side.limits.takeDevice(slot, now, fleet.slots)
  const found = await findComponent({ side, slot }, componentId)
  if (found.task.taskId !== taskId) throw notFound('file')
  return sendComponent({ side, request, response, slot, base: '', query: call.query, now }, found)
}
