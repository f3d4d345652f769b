import { LOG_STATUS, logs, OPER_LOG_DAYS, OPERATION_LABELS, OperLogRow } from '@oms/contract/system/log.ts'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { useDictLabels, DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { OutcomeTag } from './outcome.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const OperLogDrawer = lazyAfterRender(() => import('./oper-log-drawer.tsx'), 'OperLogDrawer', {
  when: ({ row }) => row !== undefined,
})

export type OperLogLine = z.output<typeof OperLogRow>

const { col, actions } = createColumns(OperLogRow)
const QUERY = logs.operations.input
const kind = (type: number) => <DictLabelTag type="sys_oper_type" words={OPERATION_LABELS} value={type} />

const COLUMNS = [
  col('operTime', time, { width: 170, sort: true }),
  col('operName', { width: 120 }),
  col('title', { width: 130 }),
  col('businessType', kind, { width: 80 }),
  col('status', (status, { errorMsg }) => <OutcomeTag ok={status === 1} why={errorMsg} />, { width: 90 }),
  col('action', { width: 250 }),
  col('operIp', { width: 130 }),
  col('operLocation', { width: 80, hidden: true }),
  col('errorMsg', { width: 180, hidden: true }),
  col('costTime', { width: 110, align: 'right' }),
  col('tenantName', { width: 140, hidden: true }),
]

const VIEWS: readonly BuiltInView[] = [
  { name: '失败', filters: { status: '0' } },
  { name: '删除', filters: { businessType: '3' } },
]

/** Operation log with changes. Entries cannot be changed or deleted. */
export default function OperLogPage() {
  const list = useList(logs.operations)
  const kinds = useDictLabels('sys_oper_type', OPERATION_LABELS).options
  const outcomes = useDictLabels('sys_common_status', LOG_STATUS).options
  const [shown, setShown] = useState<OperLogLine>()
  const rowActions = (row: OperLogLine) => (
    <RowActions items={[{ label: '详情', to: logs.operation, onClick: () => setShown(row) }]} />
  )
  return (
    <Page>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="operName" />
        <Filter of={QUERY} name="title" />
        <DateRangeFilter label="操作时间" />
        <SelectFilter of={QUERY} name="businessType" options={kinds} />
        <SelectFilter of={QUERY} name="status" options={outcomes} />
        <Filter of={QUERY} name="operIp" />
        <Filter of={QUERY} name="minCost" />
      </SearchForm>
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="operId"
        columns={[...COLUMNS, actions(rowActions, 80, [logs.operation])]}
        actions={<span className="kit-none">默认显示近 {OPER_LOG_DAYS} 天，选择操作时间可查看更早的记录</span>}
        tools={<ExportButton to={logs.exportOperationLog} query={list.query} name="操作日志" />}
        empty={{ text: `近 ${OPER_LOG_DAYS} 天没有操作记录` }}
        onOpen={setShown}
      />
      <OperLogDrawer rows={list.table.rows} row={shown} onRow={setShown} />
    </Page>
  )
}
