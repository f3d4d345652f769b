import { GrantFileRow, OWN_BATCH_MESSAGE, storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { useState } from 'react'
import { useSession } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { formatCount } from '#core/text/format.ts'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { GrantFileAudit, GrantFileState } from './grant-file.tsx'
import { ImportButton } from './entitlement.tsx'

const GrantFileDrawer = lazyAfterRender(() => import('./grant-file-dialogs.tsx'), 'GrantFileDrawer', {
  when: ({ row }) => row !== undefined,
})
const GrantFileDialog = lazyAfterRender(() => import('./grant-file-dialogs.tsx'), 'GrantFileDialog')

const QUERY = storageGrantFiles.list.input
const { col, actions } = createColumns(GrantFileRow)
const right = { width: 80, align: 'right' } as const
const COLUMNS = [
  col('fileName', { width: 170 }),
  col('packageName', { width: 150 }),
  col('devices', formatCount, { ...right, sort: true }),
  col('copies', formatCount, right),
  col('listPrice', { width: 110, align: 'right' }),
  col('state', (state) => <GrantFileState state={state} />, { width: 90 }),
  col('done', formatCount, { ...right, width: 70 }),
  col('failed', formatCount, { ...right, width: 70 }),
  col('createName', { width: 90 }),
  col('createTime', time, { width: 150, sort: true }),
  col('auditName', { width: 90, hidden: true }),
  col('auditTime', time, { width: 150, hidden: true }),
  col('auditRemark', { width: 160, hidden: true }),
  col('reason', { width: 160, hidden: true }),
  col('lines', formatCount, { ...right, hidden: true }),
  col('effectMode', { width: 150, hidden: true }),
  col('source', { width: 80, hidden: true }),
]
/** States in which a file can be approved or rejected. */
const OPEN_STATES: readonly number[] = [0, 4]

/** Files that opened a package on many devices, and those that wait for approval. */
export function GrantFileTab() {
  const list = useList(storageGrantFiles.list)
  const [isImporting, setImporting] = useState(false)
  const [audited, setAudited] = useState<GrantFileRow>()
  const [shown, setShown] = useState<GrantFileRow>()
  const add = <ImportButton onImport={() => setImporting(true)} />
  const rowActions = useBatchActions(setShown, setAudited)
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="fileName" />
        <SelectFilter of={QUERY} name="state" />
        <SelectFilter of={QUERY} name="todo" />
        <DateRangeFilter label="提交时间" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="grant-files"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 120, [storageGrantFiles.get, storageGrantFiles.audit])]}
        actions={add}
        empty={{ text: '还没有批量任务', hint: '导入序列号文件即可为多台设备开通。', action: add }}
        onOpen={setShown}
      />
      <GrantFileDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {isImporting && <GrantFileDialog onClose={() => setImporting(false)} />}
      {audited && <GrantFileAudit row={audited} onClose={() => setAudited(undefined)} />}
    </>
  )
}

/** Returns a function that renders the actions on a batch. */
function useBatchActions(onShow: (row: GrantFileRow) => void, onAudit: (row: GrantFileRow) => void) {
  const uid = useSession()?.uid
  return (row: GrantFileRow) => (
    <RowActions
      items={[
        { label: '详情', to: storageGrantFiles.get, onClick: () => onShow(row) },
        OPEN_STATES.includes(row.state) && {
          label: '审批',
          to: storageGrantFiles.audit,
          reason: row.createBy === uid ? OWN_BATCH_MESSAGE : undefined,
          onClick: () => onAudit(row),
        },
      ]}
    />
  )
}
