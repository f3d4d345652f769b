import { TASK } from '@oms/contract/ota-task.ts'
import type { DeviceSide } from './side.ts'

/** Devices whose last installed action is remembered. */
const MAX_KEPT = 200_000

/** The last action this device installed; 0: none. Read once for a device, and anew after a task of it has moved. */
export function installedAction({ kernel }: Pick<DeviceSide, 'kernel'>, slot: number): Promise<number> {
  const { installed } = kernel.fleet.state
  const known = installed.get(slot)
  if (known) return known
  const reading = read(kernel, kernel.fleet.slots.ids[slot]!)
  if (installed.size >= MAX_KEPT) installed.clear()
  installed.set(slot, reading)
  reading.catch(() => installed.delete(slot))
  return reading
}

async function read({ database }: DeviceSide['kernel'], deviceId: number) {
  const { rows } = await database.pool.query<{ taskId: number }>(
    `select task_id as "taskId" from ota_tasks where device_id = $1 and state = ${TASK.succeeded}
     order by task_id desc limit 1`,
    [deviceId],
  )
  return rows[0]?.taskId ?? 0
}
