import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import {
  sanitizeDeviceText,
  DeviceError,
  notFound,
  sendEmpty,
  sendJson,
  badRequest,
} from '#protocols/shared/response.ts'
import { readObject } from '#protocols/shared/read-body.ts'
import { formatResultCode, formatJsonValue } from '#protocols/shared/releases/report-words.ts'
import type { DdiCall } from '#protocols/shared/device-services.ts'
import { recordTaskStep } from '#protocols/shared/releases/tasks.ts'
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
    ? { active: true, initiator: agreed.initiator, remark: agreed.remark, activatedAt: Math.round(agreed.at) }
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
    if (task.state !== TASK_STATE_CODE.confirming) throw notFound('confirmation')
    const entry = {
      execution: confirmation,
      code: formatResultCode(code),
      details: Array.isArray(details) ? details.map(formatJsonValue) : [],
    }
    await recordTaskStep(
      db,
      task,
      entry,
      confirmation === 'confirmed' ? { state: TASK_STATE_CODE.offered } : { reason: '设备用户尚未同意' },
    )
  })
  sendEmpty(response)
}

/** Enables automatic confirmation of the device and confirms the waiting task. */
export async function activateAutoConfirm(call: DdiCall) {
  const { side, slot, request, response } = call
  const { initiator, remark } = await readObject(request)
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
