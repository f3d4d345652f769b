import { agentProducts, ProductRow } from '@oms/contract/agent/packages/product.ts'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { AddButton } from '#kit/list/record-actions.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import { Page } from '#kit/record/page.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { useIsVendor, formatDays, ProductPrice } from './order-cells.tsx'

const ProductAddForm = lazyAfterRender(() => import('./product-dialogs.tsx'), 'ProductAddForm')
const ProductCopy = lazyAfterRender(() => import('./product-dialogs.tsx'), 'ProductCopy')
const ProductEditForm = lazyAfterRender(() => import('./product-dialogs.tsx'), 'ProductEditForm')
const ProductDrawer = lazyAfterRender(() => import('./product-dialogs.tsx'), 'ProductDrawer', {
  when: ({ row }) => row !== undefined,
})

/** Calls of the row actions. */
const CALLS = [agentProducts.get, agentProducts.update, agentProducts.create, agentProducts.remove]
const { col, actions } = createColumns(ProductRow)
const QUERY = agentProducts.list.input
const COLUMNS = [
  col('packageName', { width: 136, sort: true }),
  col('packageCode', { width: 110, hidden: true }),
  col('content', { width: 150 }),
  col('scope', { width: 88 }),
  col('validDays', formatDays, { width: 84, align: 'right', sort: true }),
  col('activateDays', formatDays, { width: 84, align: 'right' }),
  col('price', (price, { originPrice }) => <ProductPrice price={price} originPrice={originPrice} />, {
    width: 150,
    align: 'right',
    sort: true,
  }),
  col('wasSold', { width: 66 }),
  col('status', (_, row) => <ProductStatus row={row} />, { width: 78 }),
  col('isTrial', { width: 90, hidden: true }),
  col('version', { width: 70, align: 'right', hidden: true }),
  col('sort', { width: 80, align: 'right', sort: true, hidden: true }),
  col('description', { width: 180, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
  col('updateTime', time, { width: 170, sort: true, hidden: true }),
]

interface Opened {
  readonly as: 'edit' | 'copy'
  readonly row: ProductRow
}

/** Packages of voice services. */
export default function ProductListPage() {
  const list = useList(agentProducts.list)
  const [opened, setOpened] = useState<Opened | 'new'>()
  const [shown, setShown] = useState<ProductRow>()
  const close = () => setOpened(undefined)
  const rowActions = useProductActions(setShown, setOpened)
  const add = <AddButton to={agentProducts.create} noun="套餐" onAdd={() => setOpened('new')} />
  return (
    <Page>
      <ProductSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, CALLS)]}
        actions={add}
        tools={<ExportButton to={agentProducts.export} query={list.query} name="套餐" />}
        empty={{
          text: '还没有套餐',
          hint: '套餐规定设备可以使用多少天、多少轮对话或多少 Token',
          needs: agentProducts.create,
          otherwise: '套餐由平台提供，请联系平台管理员开放适用于您的套餐。',
          forPlatform: '您没有新增套餐的权限，请有此权限的同事新增套餐。',
          action: add,
        }}
        onOpen={setShown}
      />
      <ProductDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {opened && <ProductForm of={opened} onClose={close} />}
    </Page>
  )
}

function ProductForm({ of, onClose }: { of: Opened | 'new'; onClose(): void }) {
  if (of === 'new') return <ProductAddForm onClose={onClose} />
  if (of.as === 'copy') return <ProductCopy row={of.row} onClose={onClose} />
  return <ProductEditForm row={of.row} onClose={onClose} />
}

const ProductSearch = (search: SearchProps) => (
  <SearchForm {...search}>
    <Filter of={QUERY} name="packageName" />
    <SelectFilter of={QUERY} name="unit" />
    <SelectFilter of={QUERY} name="scope" />
    <SelectFilter of={QUERY} name="status" />
    <Filter of={QUERY} name="packageCode" />
    <SelectFilter of={QUERY} name="isTrial" />
    <DateRangeFilter label="创建时间" />
  </SearchForm>
)

/** Returns a function that renders the actions on a package. */
function useProductActions(onShow: (row: ProductRow) => void, onOpen: (opened: Opened) => void) {
  const remove = useWrite(agentProducts.remove)
  return (row: ProductRow) => (
    <RowActions
      items={[
        { label: '详情', to: agentProducts.get, onClick: () => onShow(row) },
        { label: '编辑', to: agentProducts.update, onClick: () => onOpen({ as: 'edit', row }) },
        { label: '复制', to: agentProducts.create, onClick: () => onOpen({ as: 'copy', row }) },
        {
          label: '删除',
          to: agentProducts.remove,
          danger: true,
          reason: row.wasSold === 1 ? '套餐已有订单，不能删除，可以停用' : undefined,
          confirm: `删除套餐「${row.packageName}」？`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
}

/** Shows the state of a package. Only the vendor can switch it. */
const ProductStatus = ({ row }: { row: ProductRow }) =>
  useIsVendor() ? <VendorStatus row={row} /> : <EnabledTag on={row.status === 1} />

const VendorStatus = ({ row }: { row: ProductRow }) => (
  <EnableSwitch
    calls={agentProducts}
    id={row.id}
    on={row.status === 1}
    name={row.packageName}
    warning="停用后不能再下单，已售出的订单不受影响。"
  />
)
