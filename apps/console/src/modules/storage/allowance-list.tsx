import { PlusOutlined } from '@ant-design/icons'
import { AllowanceRow, storageAllowances } from '@oms/contract/storage/allowance.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { Allowed, useSession } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { PackagePicker } from './storage-pickers.tsx'

const AllowanceForm = lazyAfterRender(() => import('./allowance-dialogs.tsx'), 'AllowanceForm')
const AllowanceDrawer = lazyAfterRender(() => import('./allowance-dialogs.tsx'), 'AllowanceDrawer', {
  when: ({ row }) => row !== undefined,
})

const QUERY = storageAllowances.list.input
const { col, actions } = createColumns(AllowanceRow)
const COLUMNS = [
  col('tenantName', { width: 190 }),
  col('packageName', { width: 160 }),
  col('packageCode', { width: 120, hidden: true }),
  col('quota', { width: 80, align: 'right' }),
  col('used', { width: 80, align: 'right' }),
  col('remaining', { width: 80, align: 'right' }),
  col('remark', { width: 160 }),
  col('createTime', time, { width: 160, sort: true, hidden: true }),
  col('updateTime', time, { width: 150, sort: true }),
]

/** Allowances: how many copies of a package the staff of each tenant may open. */
export function AllowanceList() {
  const list = useList(storageAllowances.list)
  const [edited, setEdited] = useState<AllowanceRow | 'new'>()
  const [shown, setShown] = useState<AllowanceRow>()
  const isVendor = useSession()?.ownerId === '1'
  const add = isVendor && <GrantButton onGrant={() => setEdited('new')} />
  const rowActions = (row: AllowanceRow) => (
    <RowActions
      items={[
        { label: '详情', to: storageAllowances.ledger, onClick: () => setShown(row) },
        isVendor && { label: '编辑', to: storageAllowances.update, onClick: () => setEdited(row) },
      ]}
    />
  )
  return (
    <>
      <AllowanceSearch {...list.search} />
      <DataTable
        {...list.table}
        name="allowances"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 110)]}
        actions={add}
        empty={{
          text: '还没有开通额度',
          hint: '客户的人员在额度内自行开通和续期，厂商人员不受额度限制。',
          needs: storageAllowances.create,
          otherwise: '开通额度由平台分配，请联系平台管理员。',
          forPlatform: '您没有分配开通额度的权限，请有此权限的同事为客户分配。',
          action: add,
        }}
        onOpen={setShown}
      />
      <AllowanceDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {edited && <AllowanceForm row={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}

const GrantButton = ({ onGrant }: { onGrant(): void }) => (
  <Allowed to={storageAllowances.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onGrant}>
      发放额度
    </Button>
  </Allowed>
)

function AllowanceSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <Filter of={QUERY} name="packageId">
        <PackagePicker />
      </Filter>
    </SearchForm>
  )
}
