import { PlusOutlined } from '@ant-design/icons'
import { PACKAGE_LABELS, PackageListRow, type PackageRow, storagePackages } from '@oms/contract/storage/package.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { Page } from '#kit/record/page.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { CountLink, PackageStatus, PackagePrice, RecordTypeTag, useRecordTypes } from './package-cells.tsx'
import { FLOW_KIND } from './statistics/stat-range.ts'
import { entitlementListPath } from './entitlements/entitlement.tsx'

const PackageAddForm = lazyAfterRender(() => import('./package-dialogs.tsx'), 'PackageAddForm')
const PackageEditForm = lazyAfterRender(() => import('./package-dialogs.tsx'), 'PackageEditForm')
const PackageDrawer = lazyAfterRender(() => import('./package-dialogs.tsx'), 'PackageDrawer', {
  when: ({ row }) => row !== undefined,
})

/** Calls of the row actions. */
const CALLS = [
  storagePackages.get,
  storagePackages.update,
  storagePackages.enable,
  storagePackages.disable,
  storagePackages.remove,
]
const { col, actions } = createColumns(PackageListRow)
const QUERY = storagePackages.list.input
const COLUMNS = [
  col('packageName', { width: 148, sort: true }),
  col('packageCode', { width: 88 }),
  col('recordType', (type) => <RecordTypeTag type={type} />, { width: 98 }),
  col('storageDays', { width: 94, sort: true }),
  col('period', { width: 62 }),
  col('price', (price, { originPrice }) => <PackagePrice price={price} originPrice={originPrice} />, {
    width: 124,
    align: 'right',
    sort: true,
  }),
  col('channels', { width: 100, align: 'right', hidden: true }),
  col('isTrial', { width: 90, hidden: true }),
  col('version', { width: 70, align: 'right', hidden: true }),
  col('inForce', (n, { id }) => <CountLink n={n} to={entitlementListPath({ packageId: id, state: 1 })} />, {
    width: 66,
    align: 'right',
  }),
  col(
    'openedCount',
    (n, { id }) => <CountLink n={n} to={entitlementListPath({ packageId: id, flow: FLOW_KIND.sold })} />,
    {
      width: 76,
      align: 'right',
    },
  ),
  col('status', (status) => <PackageStatus status={status} />, { width: 72 }),
  col('sort', { width: 80, align: 'right', sort: true, hidden: true }),
  col('description', { width: 180, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
  col('updateTime', time, { width: 170, sort: true, hidden: true }),
]

/** Cloud-storage packages on sale and off sale. */
export default function PackageListPage() {
  const list = useList(storagePackages.list)
  const [edited, setEdited] = useState<PackageRow | 'new'>()
  const [shown, setShown] = useState<PackageRow>()
  const close = () => setEdited(undefined)
  const rowActions = useRowActions(setShown, setEdited)
  const add = <AddButton onAdd={() => setEdited('new')} />
  return (
    <Page>
      <PackageSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, CALLS)]}
        actions={add}
        tools={<ExportButton to={storagePackages.export} query={list.query} name="云存套餐" />}
        empty={{
          text: '暂无云存套餐',
          hint: '新增套餐后即可为设备开通',
          needs: storagePackages.create,
          otherwise: '套餐由平台提供，请联系平台管理员开放适用于您的套餐。',
          forPlatform: '您没有新增套餐的权限，请有此权限的同事新增云存套餐。',
          action: add,
        }}
        onOpen={setShown}
      />
      <PackageDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {edited === 'new' && <PackageAddForm onClose={close} />}
      {edited && edited !== 'new' && <PackageEditForm row={edited} onClose={close} />}
    </Page>
  )
}

function PackageSearch(search: SearchProps) {
  const types = useRecordTypes().options
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="packageName" />
      <SelectFilter of={QUERY} name="recordType" options={types} />
      <SelectFilter of={QUERY} name="storageDays" />
      <SelectFilter of={QUERY} name="status" />
      <Filter of={QUERY} name="packageCode" />
      <SelectFilter of={QUERY} name="isTrial" />
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}

/** Returns a function that renders the actions on a package. */
function useRowActions(onShow: (row: PackageRow) => void, onEdit: (row: PackageRow) => void) {
  const remove = useWrite(storagePackages.remove)
  const enable = useWrite(storagePackages.enable)
  const disable = useWrite(storagePackages.disable)
  return (row: PackageListRow) => {
    const { id, packageName } = row
    const toggle =
      row.status === 1
        ? {
            label: PACKAGE_LABELS.disable,
            to: storagePackages.disable,
            confirm: `${PACKAGE_LABELS.disable}云存套餐「${packageName}」？${PACKAGE_LABELS.disable}后不能再开通，已开通的设备不受影响。`,
            onClick: () => disable.mutateAsync({ id }),
          }
        : { label: PACKAGE_LABELS.enable, to: storagePackages.enable, onClick: () => enable.mutateAsync({ id }) }
    return (
      <RowActions
        items={[
          { label: '详情', to: storagePackages.get, onClick: () => onShow(row) },
          { label: '编辑', to: storagePackages.update, onClick: () => onEdit(row) },
          toggle,
          {
            label: '删除',
            to: storagePackages.remove,
            danger: true,
            reason: row.openedCount > 0 ? `套餐已有开通记录，不能删除，可以${PACKAGE_LABELS.disable}` : undefined,
            confirm: `删除云存套餐「${packageName}」？`,
            onClick: () => remove.mutateAsync({ id }),
          },
        ]}
      />
    )
  }
}

const AddButton = ({ onAdd }: { onAdd(): void }) => (
  <Allowed to={storagePackages.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
      新增套餐
    </Button>
  </Allowed>
)
