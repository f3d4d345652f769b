import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'
import { findComponent, sendComponent } from '#modules/upgrade/wire/artifact.ts'
import { DeviceError, notFound } from '#modules/device/wire/response.ts'
import type { XiaozhiCall } from '../call.ts'

const USE = 'xiaozhi-firmware'
const LINK_SECONDS = 86_400

interface Linked {
  readonly taskId: number
  readonly componentId: number
}

/** Returns the path of an image. The path is the only credential: the firmware sends no headers with a download. */
export const createFirmwarePath = (secretKey: Buffer, { taskId, componentId }: Linked, nowMs: number) =>
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
