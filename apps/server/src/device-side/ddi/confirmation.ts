import { TASK } from '@oms/contract/ota-task.ts'
import { clean, DeviceProblem, missing, sendEmpty, sendJson, wrong } from '../answer.ts'
import { readObject } from '../read-body.ts'
import type { Call } from '../side.ts'
import { note } from '../tasks.ts'
import { describe, openTask } from './deployment.ts'

interface Agreement {
  readonly initiator: string
  readonly remark: string
  readonly at: number
}

const deviceIdOf = ({ side, slot }: Call) => side.kernel.fleet.slots.ids[slot]!

async function agreementOf(call: Call): Promise<Agreement | undefined> {
  const { rows } = await call.side.kernel.database.pool.query<Agreement>(
    `select initiator, remark, extract(epoch from create_time)::float8 * 1000 as at
     from device_auto_confirms where device_id = $1`,
    [deviceIdOf(call)],
  )
  return rows[0]
}

export async function getConfirmations(call: Call) {
  const { base, side, slot, request, response } = call
  const agreed = await agreementOf(call)
  const task = side.kernel.fleet.state.openTasks(slot).find(({ state }) => state === TASK.confirming)
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

export async function getConfirmation(call: Call, taskId: number) {
  const task = await openTask(call, taskId)
  const deployment = task.state === TASK.confirming ? await call.side.deployments.of(task.otaId) : undefined
  if (!deployment) throw missing('confirmation')
  sendJson(call.request, call.response, 200, { id: String(taskId), confirmation: describe(call, deployment) })
}

export async function postConfirmation(call: Call, taskId: number) {
  const { side, slot, request, response } = call
  const { confirmation, code, details } = await readObject(request)
  if (confirmation !== 'confirmed' && confirmation !== 'denied') throw wrong('confirmation must be confirmed or denied')
  await side.tasks.change(slot, taskId, async (db, task) => {
    if (task.state !== TASK.confirming) throw missing('confirmation')
    const entry = {
      execution: confirmation,
      code: typeof code === 'number' ? code : null,
      details: Array.isArray(details) ? details.map(String) : [],
    }
    await note(db, task, entry, confirmation === 'confirmed' ? { state: TASK.offered } : { reason: '设备用户尚未同意' })
  })
  sendEmpty(response)
}

/** From now on the device takes whatever comes; what waits goes ahead. */
export async function activateAutoConfirm(call: Call) {
  const { side, slot, request, response } = call
  const { initiator, remark } = await readObject(request)
  await side.tasks.writes.run(async (db) => {
    const { rowCount } = await db.query(
      'insert into device_auto_confirms (device_id, initiator, remark) values ($1, $2, $3) on conflict do nothing',
      [deviceIdOf(call), clean(initiator, 64), clean(remark, 200)],
    )
    if (!rowCount) throw new DeviceProblem(409, 'already active')
    await db.query(
      `update ota_tasks set state = ${TASK.offered}, update_time = now() where device_id = $1 and state = ${TASK.confirming}`,
      [deviceIdOf(call)],
    )
  })
  await side.tasks.caughtUp()
  side.announcer.moved(side.kernel.fleet.slots.tenants[slot]!)
  sendEmpty(response)
}

export async function deactivateAutoConfirm(call: Call) {
  const { side, response } = call
  const { rowCount } = await side.kernel.database.pool.query('delete from device_auto_confirms where device_id = $1', [
    deviceIdOf(call),
  ])
  if (!rowCount) throw new DeviceProblem(409, 'not active')
  sendEmpty(response)
}
