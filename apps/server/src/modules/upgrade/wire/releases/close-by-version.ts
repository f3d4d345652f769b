import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { recordTaskStep } from './tasks.ts'

/**
 * Closes the open task as successful when the device already reports the version of the task. Some devices restart
 * during the update and send no further report. A pushed task may request a reinstallation.
 */
export async function closeByVersion(side: DeviceServices, slot: number, packageName: string, verCode: number) {
  const task = side.services.fleet.state.openTasks(slot).find((each) => each.packageName === packageName)
  if (!task || task.verCode !== verCode || (task.pushed && task.state < TASK_STATE_CODE.fetched)) return
  await side.tasks.change(slot, task.taskId, (db, locked) =>
    recordTaskStep(
      db,
      locked,
      { details: ['设备报告已运行目标版本'] },
      { state: TASK_STATE_CODE.succeeded, reason: '' },
    ),
  )
  side.tasks.forget(task.taskId)
  side.downloads.forget(task.taskId)
}
