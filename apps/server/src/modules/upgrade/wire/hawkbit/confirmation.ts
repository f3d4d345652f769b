import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { DdiCall } from '#main/devices/device-services.ts'
import { parseRepairedJson, readBodyText, readObject, requireJsonObject } from '#modules/device/wire/request.ts'
import {
  sanitizeDeviceText,
  DeviceError,
  notFound,
  sendEmpty,
  sendJson,
  badRequest,
} from '#modules/device/wire/response.ts'
import { formatResultCode, formatJsonValue } from '../feedback.ts'
import { type LockedTask, recordTaskStep, type StatementClient } from '../tasks.ts'
import { describeDeployment, findOpenTask } from './deployment.ts'

interface Agreement {
  readonly initiator: string
  readonly remark: string
  readonly at: number
}

const deviceIdOf = ({ side, slot }: DdiCall) => side.services.fleet.slots.ids[slot]!

async function agreementOf(call: DdiCall): Promise<Agreement | undefined> {
  const { rows } = await call.side.services.database.pool.query<Agreement>(
    `select initiator, remark, extract(epoch from create_time)::float8 * 1000 as at
     from device_auto_confirms where device_id = $1`,
    [deviceIdOf(call)],
  )
  return rows[0]
}

export async function getConfirmations(call: DdiCall) {
  const { base, side, slot, request, response } = call
  const agreed = await agreementOf(call)
  const task = side.services.fleet.state.openTasks(slot).find(({ state }) => state === TASK_STATE_CODE.confirming)
  const toggle = agreed ? 'deactivateAutoConfirm' : 'activateAutoConfirm'
  const autoConfirm = agreed
    ? {
        active: true,
        initiator: agreed.initiator || undefined,
        remark: agreed.remark || undefined,
        activatedAt: Math.round(agreed.at),
      }
    : { active: false }
  sendJson(request, response, 200, {
    autoConfirm,
    _links: {
      [toggle]: { href: `${base}/confirmationBase/${toggle}` },
      ...(task && { confirmationBase: { href: `${base}/confirmationBase/${task.taskId}?c=${task.otaId}` } }),
    },
  })
}

export async function getConfirmation(call: DdiCall, taskId: number) {
  const task = await findOpenTask(call, taskId)
  const deployment = task.state === TASK_STATE_CODE.confirming ? await call.side.deployments.of(task.otaId) : undefined
  if (!deployment) throw notFound('confirmation')
  sendJson(call.request, call.response, 200, { id: String(taskId), confirmation: describeDeployment(call, deployment) })
}

export async function postConfirmation(call: DdiCall, taskId: number) {
  const { side, slot, request, response } = call
  const { confirmation, code, details } = await readObject(request)
  if (confirmation !== 'confirmed' && confirmation !== 'denied')
    throw badRequest('confirmation must be confirmed or denied')
  await side.tasks.change(slot, taskId, async (db, task) => {
    const isRevoked = confirmation === 'denied' && (await isConfirmed(db, task))
    if (task.state !== TASK_STATE_CODE.confirming && !isRevoked) throw notFound('confirmation')
    const entry = {
      execution: confirmation,
      code: formatResultCode(code),
      details: Array.isArray(details) ? details.map(formatJsonValue) : [],
    }
    await recordTaskStep(
      db,
      task,
      entry,
      confirmation === 'confirmed'
        ? { state: TASK_STATE_CODE.offered }
        : { state: TASK_STATE_CODE.confirming, reason: isRevoked ? '设备用户撤回了同意' : '设备用户尚未同意' },
    )
  })
  sendEmpty(response)
}

/** True when the device confirmed the task and has not started the download. */
async function isConfirmed(db: StatementClient, { taskId, state }: LockedTask) {
  if (state !== TASK_STATE_CODE.offered && state !== TASK_STATE_CODE.fetched) return false
  const confirmed = `select from ota_task_logs where task_id = $1 and execution = 'confirmed' limit 1`
  return (await db.query(confirmed, [taskId])).rowCount === 1
}

/** Enables automatic confirmation of the device and confirms the waiting task. */
export async function activateAutoConfirm(call: DdiCall) {
  const { side, slot, request, response } = call
  const text = await readBodyText(request)
  const body: Record<string, unknown> = text.trim() === '' ? {} : requireJsonObject(parseRepairedJson(text))
  const { initiator, remark } = body
  await side.tasks.writes.run(async (db) => {
    const { rowCount } = await db.query(
      'insert into device_auto_confirms (device_id, initiator, remark) values ($1, $2, $3) on conflict do nothing',
      [deviceIdOf(call), sanitizeDeviceText(initiator, 64), sanitizeDeviceText(remark, 200)],
    )
    if (!rowCount) throw new DeviceError(409, 'already active')
    await db.query(
      `update ota_tasks set state = ${TASK_STATE_CODE.offered}, update_time = now() where device_id = $1 and state = ${TASK_STATE_CODE.confirming}`,
      [deviceIdOf(call)],
    )
  })
  await side.tasks.caughtUp()
  side.announcer.moved(side.services.fleet.slots.tenants[slot]!)
  sendEmpty(response)
}

export async function deactivateAutoConfirm(call: DdiCall) {
  const { side, response } = call
  const { rowCount } = await side.services.database.pool.query(
    'delete from device_auto_confirms where device_id = $1',
    [deviceIdOf(call)],
  )
  if (!rowCount) throw new DeviceError(409, 'not active')
  sendEmpty(response)
}
