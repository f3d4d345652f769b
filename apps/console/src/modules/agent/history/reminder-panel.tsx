import { agentReminders, ReminderRow } from '@oms/contract/agent/history/reminder.ts'
import { useWrite } from '#core/api/query.ts'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'

const { col, actions } = createColumns(ReminderRow)
const COLUMNS = [
  col('content', { width: 220 }),
  col('remindTime', time, { width: 170, sort: true }),
  col('state', { width: 100 }),
  col('toldTime', time, { width: 170 }),
]

/** Reminders that the user of a voice device set by talking to it. */
export function ReminderPanel({ deviceId }: { readonly deviceId: number }) {
  const list = useInnerList(agentReminders.list, { deviceId })
  const remove = useWrite(agentReminders.remove)
  const rowActions = (row: ReminderRow) => (
    <RowActions
      items={[
        {
          label: '删除',
          to: agentReminders.remove,
          danger: true,
          confirm: `删除提醒「${row.content}」？`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
  return (
    <DataTable
      {...list.table}
      name="reminders"
      rowKey="id"
      columns={[...COLUMNS, actions(rowActions, 80, [agentReminders.remove])]}
      empty={{
        text: '还没有提醒',
        hint: '智能体选用设备工具「设置提醒」后，用户可以对设备说出提醒；到时间后，下次对话时告知',
      }}
    />
  )
}
