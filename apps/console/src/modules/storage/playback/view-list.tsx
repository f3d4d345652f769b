import { playbackConsents, ViewRow } from '@oms/contract/storage/consent.ts'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

const QUERY = playbackConsents.views.input
const { col } = createColumns(ViewRow)
const COLUMNS = [
  col('createTime', time, { width: 150, sort: true }),
  col('operName', { width: 90 }),
  col('sn', { width: 130 }),
  col('channel', { width: 60, align: 'right' }),
  col('tenantName', { width: 120 }),
  col('beginTime', time, { width: 150 }),
  col('endTime', time, { width: 150 }),
  col('segments', { width: 90, align: 'right' }),
  col('reason', { width: 220 }),
  col('consentId', { width: 90, align: 'right', hidden: true }),
  col('ip', { width: 130, hidden: true }),
]

/** Views of recordings by staff. The users of the devices see the same rows in their App. */
export function ViewList() {
  const list = useList(playbackConsents.views)
  const isMany = useHasManyTenants()
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="sn" />
        {isMany && (
          <Filter of={QUERY} name="tenantId">
            <TenantPicker />
          </Filter>
        )}
        <Filter of={QUERY} name="operName" />
        <DateRangeFilter label="查看时间" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="recordingViews"
        rowKey="id"
        columns={COLUMNS}
        empty={{ text: '还没有查看记录', hint: '人员每次查看录像都会记录在这里，并显示给设备用户。' }}
      />
    </>
  )
}
