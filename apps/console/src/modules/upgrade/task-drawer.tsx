import { TaskRow } from '@oms/contract/upgrade/upgrade-task.ts'
import { Empty, Timeline } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan } from '#core/auth/session.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { useReleaseCalls } from './release-calls.ts'
import { TaskState, taskStateText } from './release-state.tsx'
import type { Task } from './task-table.tsx'

/** Link to the page of the device, shown with the permission for that page. */
function DeviceLink({ sn, deviceId }: { sn: string; deviceId: number }) {
  const can = useCan()
  return can('device:apkManage:query') ? <Link to={`/device/apkManage/detail/${deviceId}`}>{sn}</Link> : sn
}

const { item, wide } = createDescriptions(TaskRow)
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

/** Shows one task in a drawer: its fields and every report of its device. */
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
  const calls = useReleaseCalls()
  const { data, error, refetch } = useRead(calls.task.get, { taskId }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return (
    <>
      <Descriptions row={data.task} items={ITEMS} />
      <h3 className="kit-heading">设备上报记录</h3>
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
              {details.length > 0 && <pre className="kit-code">{details.join('\n')}</pre>}
            </>
          ),
        }))}
      />
    </>
  )
}
