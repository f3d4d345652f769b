import { TASK_STATE } from '@oms/contract/upgrade/task-state.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import { Progress } from 'antd'
import { Time } from '#kit/record/time.tsx'
import { ShowMoreButton, EmptyPart, DeviceDetailPart, useShowMore } from './device-facts.tsx'
import { State } from '#kit/record/state.tsx'

const colourOf = (state: number) =>
  state === 100 ? 'success' : state === 110 ? 'error' : state === 120 ? 'default' : 'processing'

/** Upgrade tasks of the device with their results, newest first. */
export default function DeviceTasks({ deviceId }: { deviceId: number }) {
  const showMore = useShowMore()
  return (
    <DeviceDetailPart to={otaTask.ofDevice} input={{ deviceId, pageNum: 1, pageSize: showMore.pageSize }}>
      {({ list, total }, turning) =>
        list.length === 0 ? (
          <EmptyPart text="还没有升级任务" />
        ) : (
          <>
            <TaskTable tasks={list} />
            <ShowMoreButton {...showMore} total={total} turning={turning} />
          </>
        )
      }
    </DeviceDetailPart>
  )
}

type Task = ResultOf<typeof otaTask.ofDevice>['list'][number]

const TaskTable = ({ tasks }: { tasks: readonly Task[] }) => (
  <table className="kit-table device-records">
    <thead>
      <tr>
        <th>任务</th>
        <th>版本</th>
        <th>状态</th>
        <th>说明</th>
        <th>下发时间</th>
        <th>更新时间</th>
      </tr>
    </thead>
    <tbody>
      {tasks.map((task) => (
        <TaskLine key={task.taskId} task={task} />
      ))}
    </tbody>
  </table>
)

const TaskLine = ({ task }: { task: Task }) => (
  <tr>
    <td data-title="任务">{task.taskId}</td>
    <td data-title="版本">
      <span>
        {task.packageName && `${task.packageName} `}
        {task.fromVerCode ?? '未知'} → {task.verName ? `${task.verName}（${task.verCode}）` : task.verCode}
      </span>
    </td>
    <td data-title="状态">
      <span>
        <State color={colourOf(task.state)}>{TASK_STATE[task.state as keyof typeof TASK_STATE] ?? task.state}</State>
        {task.closeTime === null && task.progress > 0 && (
          <Progress percent={task.progress} size="small" aria-label="升级进度" />
        )}
      </span>
    </td>
    <td data-title="说明">{task.reason || <span className="kit-none">-</span>}</td>
    <td data-title="下发时间">
      <Time at={task.createTime} />
    </td>
    <td data-title="更新时间">
      <Time at={task.updateTime} />
    </td>
  </tr>
)
