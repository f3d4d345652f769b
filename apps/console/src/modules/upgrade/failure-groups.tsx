import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { type otaTask, FailureRow } from '@oms/contract/upgrade/upgrade-task.ts'
import { useWrite } from '#core/api/query.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { time } from '#kit/record/time.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { useReleaseCalls } from './release-calls.ts'

type Group = ResultOf<typeof otaTask.failures>['list'][number] & { key: string }

/** Failed tasks grouped by the reason that the devices reported. A group can be retried together. */
export function FailureGroups({ otaId, onReason }: { otaId: number; onReason(reason: string): void }) {
  const calls = useReleaseCalls()
  const list = useInnerList(calls.task.failures, { otaId })
  const retry = useWrite(calls.task.retry)
  const rows = list.table.rows.map((row) => ({ ...row, key: `${row.code}:${row.reason}` }))
  const rowActions = (row: Group) => (
    <RowActions
      items={[
        { label: '查看任务', onClick: () => onReason(row.reason) },
        row.open > 0 && {
          label: '重试',
          to: calls.task.retry,
          confirm: `让因「${row.reason || '未说明'}」失败的 ${row.open} 台设备再次收到该版本？`,
          onClick: () => retry.mutateAsync({ otaId, reason: row.reason }),
        },
      ]}
    />
  )
  return (
    <DataTable
      {...list.table}
      rows={rows}
      name="ota-failures"
      rowKey="key"
      columns={[
        ...COLUMNS,
        { key: 'actions', title: '操作', width: 150, pin: 'right', fixed: true, render: rowActions },
      ]}
      empty={{ text: '没有失败的任务' }}
    />
  )
}

const { col } = createColumns(FailureRow)
const COLUMNS = [
  col('reason', (reason) => reason || '设备没有说明原因', { width: 320 }),
  col('code', { width: 90, align: 'right' }),
  col('count', { width: 90, align: 'right' }),
  col('open', { width: 90, align: 'right' }),
  col('lastTime', time, { width: 170 }),
  col('sn', { width: 170 }),
]
