import { TaskRow } from '@oms/contract/upgrade-task.ts'
import { Empty, Timeline } from 'antd'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { useCan } from '#kernel/session.tsx'
import { DetailDrawer } from '#kit/detail-drawer.tsx'
import { Details, detailsOf } from '#kit/details.tsx'
import { Time, time } from '#kit/time.tsx'
import { Waiting } from '#kit/waiting.tsx'
import { useCalls } from './release-calls.ts'
import { TaskState, taskStateText } from './release-state.tsx'
import type { Task } from './task-table.tsx'
import './upgrade.css'

/** The device's own page, for those who may see it. */
function DeviceLink({ sn, deviceId }: { sn: string; deviceId: number }) {
  const can = useCan()
  return can('device:apkManage:query') ? <Link to={`/device/apkManage/detail/${deviceId}`}>{sn}</Link> : sn
}

const { item, wide } = detailsOf(TaskRow)
const ITEMS = [
  item('sn', (sn, { deviceId }) => <DeviceLink sn={sn} deviceId={deviceId} />),
  item('devName'),
  item('state', (state) => <TaskState state={state} />),
  item('progress', (progress) => `${progress}%`),
  item('fromVerCode'),
  item('verCode'),
  item('tenantName'),
  item('modelName'),
  item('attempt'),
  item('code'),
  item('pushed', (pushed) => (pushed ? '是' : '否')),
  item('retried', (retried) => (retried ? '是' : '否')),
  item('createTime', time),
  item('closeTime', time),
  wide('reason'),
]

/** One task beside the list: what it is, and everything its device said. */
export function TaskDrawer(props: {
  rows: readonly Task[]
  row: Task | undefined
  onRow(row: Task | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="taskId" title={({ sn, verCode }) => `${sn} → ${verCode}`}>
      {({ taskId }) => <TaskDetails key={taskId} taskId={taskId} />}
    </DetailDrawer>
  )
}

function TaskDetails({ taskId }: { taskId: number }) {
  const calls = useCalls()
  const { data, error, refetch } = useRead(calls.task.get, { taskId }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return (
    <>
      <Details row={data.task} items={ITEMS} />
      <h3 className="up-part">设备上报记录</h3>
      {data.logs.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="设备还没有上报" />}
      <Timeline
        items={data.logs.map(({ id, state, execution, finished, code, details, createTime }) => ({
          key: id,
          content: (
            <>
              <div>
                <Time at={createTime} /> {taskStateText(state)}
                {execution && `（${execution}${finished && finished !== 'none' ? ` / ${finished}` : ''}）`}
                {code !== null && ` 错误码 ${code}`}
              </div>
              {details.length > 0 && <pre className="up-log">{details.join('\n')}</pre>}
            </>
          ),
        }))}
      />
    </>
  )
}
