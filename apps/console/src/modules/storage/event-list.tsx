import { EVENT_TYPE, HookEventRow, storageHooks } from '@oms/contract/storage/hook.ts'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns, renderPlainCell } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { ResultTag } from './sales-cells.tsx'
import { HookPicker } from './storage-pickers.tsx'

const EventDrawer = lazyAfterRender(() => import('./hook-dialogs.tsx'), 'EventDrawer', {
  when: ({ row }) => row !== undefined,
})

const QUERY = storageHooks.events.input
const typeText = (type: string) => EVENT_TYPE[type as keyof typeof EVENT_TYPE] ?? type
const { col, actions } = createColumns(HookEventRow)
const COLUMNS = [
  col('outOrderNo', { width: 150 }),
  col('type', (type) => renderPlainCell(typeText(type)), { width: 80 }),
  col('result', (result) => <ResultTag result={result} />, { width: 90 }),
  col('message', { width: 260 }),
  col('attempts', { width: 70, align: 'right' }),
  col('hookName', { width: 120 }),
  col('eventId', { width: 160, hidden: true }),
  col('createTime', time, { width: 160 }),
  col('updateTime', time, { width: 160, hidden: true }),
]

/** Lists the webhook events of shops. An account can replay a refused event after its cause was corrected. */
export function EventList() {
  const list = useList(storageHooks.events)
  const [shown, setShown] = useState<HookEventRow>()
  const rowActions = (row: HookEventRow) => (
    <EventActions row={row} onShow={setShown} onRefused={list.table.onRefresh} />
  )
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="outOrderNo" />
        <Filter of={QUERY} name="eventId" />
        <SelectFilter of={QUERY} name="result" />
        <Filter of={QUERY} name="hookId">
          <HookPicker />
        </Filter>
        <DateRangeFilter label="接收时间" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="hook-events"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 120)]}
        empty={{ text: '还没有回调记录', hint: '签名正确的回调都会记录在这里。' }}
        onOpen={setShown}
      />
      <EventDrawer rows={list.table.rows} row={shown} onRow={setShown} />
    </>
  )
}

interface ActionsProps {
  readonly row: HookEventRow
  onShow(row: HookEventRow): void
  /** A refused replay counts as an attempt and may change the reason of the row. */
  onRefused(): void
}

function EventActions({ row, onShow, onRefused }: ActionsProps) {
  const replay = useWrite(storageHooks.replay)
  const again = async () => {
    try {
      await replay.mutateAsync({ id: row.id })
    } catch (refusal) {
      onRefused()
      throw refusal
    }
  }
  return (
    <RowActions
      items={[
        { label: '详情', to: storageHooks.event, onClick: () => onShow(row) },
        row.result === 2 && {
          label: '重放',
          to: storageHooks.replay,
          confirm: `重新处理订单 ${row.outOrderNo} 的回调？请先更正原因：${row.message}`,
          onClick: again,
        },
      ]}
    />
  )
}
