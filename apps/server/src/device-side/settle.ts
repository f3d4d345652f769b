import { TASK } from '@oms/contract/ota-task.ts'
import type { DeviceSide } from './side.ts'
import { note } from './tasks.ts'

/**
 * A device that already runs what its open task brings has succeeded, whether it says so or not: some restart in the
 * middle and come back without another word.
 */
export async function closeByVersion(side: DeviceSide, slot: number, packageName: string, verCode: number) {
  const task = side.kernel.fleet.state.openTasks(slot).find((each) => each.packageName === packageName)
  if (!task || task.verCode !== verCode || task.state < TASK.fetched) return
  await side.tasks.change(slot, task.taskId, (db, locked) =>
    note(db, locked, { details: ['设备报告已运行目标版本'] }, { state: TASK.succeeded, reason: '' }),
  )
  side.tasks.forget(task.taskId)
  side.downloads.forget(task.taskId)
}
