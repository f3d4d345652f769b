import { LOG_STATUS, logs, OPER_LOG_DAYS, OPERATION_LABELS, OperLogRow } from '@oms/contract/log.ts'
import { Tag } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { later } from '#kernel/later.tsx'
import { columnsOf } from '#kit/columns.tsx'
import { DataTable } from '#kit/data-table.tsx'
import { ExportButton } from '#kit/export-button.tsx'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { DateRangeFilter } from '#kit/filter-date.tsx'
import { Page } from '#kit/page.tsx'
import { RowActions } from '#kit/row-actions.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { time } from '#kit/time.tsx'
import { useList } from '#kit/use-list.ts'
import { Outcome } from './outcome.tsx'

const OperLogDrawer = later(() => import('./oper-log-drawer.tsx'), 'OperLogDrawer', {
  when: ({ row }) => row !== undefined,
})

export type Line = z.output<typeof OperLogRow>

const { col, actions } = columnsOf(OperLogRow)
const QUERY = logs.operations.input
const KIND_COLORS: Readonly<Record<number, string>> = {
  1: 'success',
  2: 'processing',
  3: 'error',
  4: 'warning',
  7: 'error',
}
const kind = (type: number) => (
  <Tag color={KIND_COLORS[type] ?? 'default'}>{OPERATION_LABELS[type as keyof typeof OPERATION_LABELS] ?? type}</Tag>
)

const COLUMNS = [
  col('operTime', time, { width: 170, sort: true }),
  col('operName', { width: 120 }),
  col('title', { width: 130 }),
  col('businessType', kind, { width: 80 }),
  col('action', { width: 250 }),
  col('operIp', { width: 130 }),
  col('operLocation', { width: 80, hidden: true }),
  col('status', (status, { errorMsg }) => <Outcome ok={status === 1} why={errorMsg} />, { width: 90 }),
  col('errorMsg', { width: 180, hidden: true }),
  col('costTime', { width: 110, align: 'right' }),
  col('tenantName', { width: 140, hidden: true }),
]

/** What was done in the console: readable, with what changed. Nobody can change or remove a line. */
export default function OperLogPage() {
  const list = useList(logs.operations)
  const [shown, setShown] = useState<Line>()
  const rowActions = (row: Line) => (
    <RowActions items={[{ label: '详情', to: logs.operation, onClick: () => setShown(row) }]} />
  )
  return (
    <Page>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="operName" />
        <Filter of={QUERY} name="title" />
        <DateRangeFilter label="操作时间" />
        <SelectFilter of={QUERY} name="businessType" options={optionsOf(OPERATION_LABELS)} />
        <SelectFilter of={QUERY} name="status" options={optionsOf(LOG_STATUS)} />
        <Filter of={QUERY} name="operIp" />
        <Filter of={QUERY} name="minCost" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="operId"
        columns={[...COLUMNS, actions(rowActions, 80)]}
        actions={<span className="kit-none">默认显示近 {OPER_LOG_DAYS} 天，选择操作时间可查看更早的记录</span>}
        tools={<ExportButton to={logs.exportOperations} query={list.query} name="操作日志" />}
        empty={{ text: `近 ${OPER_LOG_DAYS} 天没有操作记录` }}
        onOpen={setShown}
      />
      <OperLogDrawer rows={list.table.rows} row={shown} onRow={setShown} />
    </Page>
  )
}

const optionsOf = (labels: Readonly<Record<number, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))
