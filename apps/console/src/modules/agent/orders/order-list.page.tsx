import { agentGrants } from '@oms/contract/agent/orders/order-grant.ts'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { agentUsage } from '@oms/contract/agent/usage/usage.ts'
import { Tabs, Button } from 'antd'
import { type ComponentType, useState } from 'react'
import { type CallAccess, useMayCall, Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useView } from '#core/routing/view.ts'
import { Page } from '#kit/record/page.tsx'
import { GiftOutlined } from '@ant-design/icons'
import { OrderRow } from '@oms/contract/agent/orders/order-entities.ts'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { AddButton } from '#kit/list/record-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { minutes, time } from '#kit/record/time.tsx'
import { createColumns, renderPlainCell } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { ORDER_ACTION_CALLS, OrderActions, type OpenOrder } from './order-actions.tsx'
import { OrderBalance, OrderTag, formatOrderTargets, useIsVendor } from './order-cells.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

interface View {
  readonly key: string
  readonly label: string
  /** Endpoint of the tab. The tab is hidden when the account may not call it. */
  readonly to: CallAccess
  readonly panel: ComponentType
}

/** Tabs of the screen, in their order. */
const VIEWS: readonly View[] = [
  { key: 'orders', label: '订单', to: agentOrders.list, panel: OrderList },
  {
    key: 'grants',
    label: '权益',
    to: agentGrants.list,
    panel: lazyAfterRender(() => import('./grant-list.tsx'), 'GrantTab'),
  },
  {
    key: 'ledger',
    label: '流水',
    to: agentGrants.ledger,
    panel: lazyAfterRender(() => import('./ledger-list.tsx'), 'LedgerTab'),
  },
  {
    key: 'usage',
    label: '用量',
    to: agentUsage.list,
    panel: lazyAfterRender(() => import('./order-usage.tsx'), 'OrderUsage'),
  },
]

/** Orders of voice packages, their grants with the ledger, and the usage of the agents. */
export default function OrderListPage() {
  const mayCall = useMayCall()
  const [key, setKey] = useView('orders')
  const views = VIEWS.filter(({ to }) => mayCall(to))
  const view = views.find((each) => each.key === key) ?? views[0]
  if (!view) return null
  const Panel = view.panel
  return (
    <Page tabs={views.length > 1 && <Tabs activeKey={view.key} onChange={setKey} items={[...views]} />}>
      <Panel key={view.key} />
    </Page>
  )
}

const OrderAddForm = lazyAfterRender(() => import('./order-form.tsx'), 'OrderAddForm')
const GiftAddForm = lazyAfterRender(() => import('./order-form.tsx'), 'GiftAddForm')
const OrderEditForm = lazyAfterRender(() => import('./order-form.tsx'), 'OrderEditForm')
const OrderRenew = lazyAfterRender(() => import('./order-form.tsx'), 'OrderRenew')
const OrderDialog = lazyAfterRender(() => import('./order-dialogs.tsx'), 'OrderDialog')
const OrderDrawer = lazyAfterRender(() => import('./order-drawer.tsx'), 'OrderDrawer', {
  when: ({ row }) => row !== undefined,
})

const QUERY = agentOrders.list.input
const { col, actions } = createColumns(OrderRow)
const COLUMNS = [
  col('orderNo', { width: 144 }),
  col('tenantName', { width: 110 }),
  col('packageName', { width: 110 }),
  col('targetName', (_, row) => renderPlainCell(formatOrderTargets(row)), { width: 116 }),
  col('state', (state) => <OrderTag state={state} />, { width: 80 }),
  col('validUntil', minutes, { width: 132 }),
  col('left', (_, row) => <OrderBalance row={row} />, { width: 140 }),
  col('copies', { width: 60, align: 'right', hidden: true }),
  col('amount', { width: 90, align: 'right', sort: true }),
  col('payWay', { width: 76, hidden: true }),
  col('createName', { width: 90, hidden: true }),
  col('payName', { width: 90, hidden: true }),
  col('createTime', time, { width: 150, sort: true, hidden: true }),
  col('payTime', time, { width: 150, sort: true, hidden: true }),
  col('content', { width: 160, hidden: true }),
  col('scope', { width: 88, hidden: true }),
  col('version', { width: 80, align: 'right', hidden: true }),
  col('unitPrice', { width: 100, align: 'right', hidden: true }),
  col('discount', { width: 100, align: 'right', hidden: true }),
  col('refunded', { width: 100, align: 'right', hidden: true }),
  col('voucherNo', { width: 140, hidden: true }),
  col('remark', { width: 180, hidden: true }),
]

type Opened = 'new' | 'gift' | OpenOrder

const LIST_VIEWS: readonly BuiltInView[] = [
  { name: '待确认', filters: { state: '0' } },
  { name: '退款中', filters: { state: '2' } },
]

/** Orders of voice packages. */
function OrderList() {
  const list = useList(agentOrders.list)
  const mayRead = useMayCall()(agentOrders.get)
  const [opened, setOpened] = useState<Opened>()
  const [shown, setShown] = useState<OrderRow>()
  const rowActions = (row: OrderRow) => <OrderActions row={row} onOpen={setOpened} onShow={setShown} />
  const add = <Buttons onOpen={setOpened} />
  return (
    <>
      <OrderSearch {...list.search} />
      <DataTable
        {...list.table}
        views={LIST_VIEWS}
        name="orders"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, ORDER_ACTION_CALLS)]}
        actions={add}
        tools={<ExportButton to={agentOrders.export} query={list.query} name="智能体订单" />}
        empty={{
          text: '还没有订单',
          hint: '新增订单并由另一人确认收款后，套餐发放给设备、智能体或客户',
          needs: agentOrders.create,
          otherwise: '订单由有新增权限的人员提交。',
          action: add,
        }}
        {...(mayRead && { onOpen: setShown })}
      />
      <OrderDrawer rows={list.table.rows} row={shown} onRow={setShown} onOpen={setOpened} />
      {opened && <Dialogs opened={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function Buttons({ onOpen }: { onOpen(opened: Opened): void }) {
  const isVendor = useIsVendor()
  return (
    <>
      <AddButton to={agentOrders.create} noun="订单" onAdd={() => onOpen('new')} />
      {isVendor && (
        <Allowed to={agentOrders.gift}>
          <Button icon={<GiftOutlined />} onClick={() => onOpen('gift')}>
            赠送套餐
          </Button>
        </Allowed>
      )}
    </>
  )
}

function Dialogs({ opened, onClose }: { readonly opened: Opened; readonly onClose: () => void }) {
  if (opened === 'new') return <OrderAddForm onClose={onClose} />
  if (opened === 'gift') return <GiftAddForm onClose={onClose} />
  const { step, row } = opened
  if (step === 'edit') return <OrderEditForm row={row} onClose={onClose} />
  if (step === 'renew') return <OrderRenew row={row} onClose={onClose} />
  return <OrderDialog step={step} row={row} onClose={onClose} />
}

function OrderSearch(search: SearchProps) {
  const hasBuyers = useHasManyTenants()
  const isVendor = useIsVendor()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="orderNo" />
      <Filter of={QUERY} name="target" />
      <SelectFilter of={QUERY} name="state" />
      {hasBuyers && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <Filter of={QUERY} name="packageName" />
      <SelectFilter of={QUERY} name="scope" />
      <SelectFilter of={QUERY} name="payWay" />
      {isVendor && <SelectFilter of={QUERY} name="todo" />}
      <Filter of={QUERY} name="voucherNo" />
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}
