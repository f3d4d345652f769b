import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { OrderDetail, type OrderRow, type RefundRow, TargetRow } from '@oms/contract/agent/orders/order-entities.ts'
import { ALLOWANCE_UNIT } from '@oms/contract/agent/packages/package-terms.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Tabs } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer, type RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { FileList } from '#kit/upload/file-upload.tsx'
import { joinAddresses } from '#kit/upload/stored-file.ts'
import { OrderGrants } from './grant-list.tsx'
import { OrderLedger } from './ledger-list.tsx'
import { OrderActions, type OpenOrder } from './order-actions.tsx'
import { formatAllowance, OrderTag, RefundTag, formatOrderTargets, formatDays } from './order-cells.tsx'
import './order.css'

const { item, wide } = createDescriptions(OrderDetail)
const ITEMS = [
  item('orderNo'),
  item('packageName', (name, { version }) => `${name}（版本 ${version}）`),
  wide('content'),
  item('scope'),
  item('targetName', (_, row) => formatOrderTargets(row)),
  item('activateDays', formatDays),
  item('validDays', formatDays),
  item('unitPrice', formatCurrency),
  item('copies'),
  item(
    'discount',
    (discount, { discountReason }) => `${formatCurrency(discount)}${discountReason && `（${discountReason}）`}`,
  ),
  item('payWay'),
  item('voucherNo'),
  item('createName'),
  item('createTime', time),
]
const VOUCHER_ITEMS = [
  wide('voucherFiles', (stored) => (
    <FileList
      value={joinAddresses(stored.map(({ url }) => url))}
      names={Object.fromEntries(stored.map(({ url, name }) => [url, name]))}
    />
  )),
]
const PAID_ITEMS = [item('payName'), item('payTime', time), item('validUntil', time), item('refunded', formatCurrency)]
const CLOSED_ITEMS = [item('closeTime', time), item('closeReason')]
const FINISHED_ITEMS = [item('finishTime', time)]
const REMARK_ITEMS = [wide('remark')]
const UNIT: Readonly<Record<number, string>> = ALLOWANCE_UNIT

/** Returns the items of an order. Omits the times of steps that were not taken. */
const itemsOf = ({ payTime, closeTime, finishTime, voucherFiles }: OrderDetail) => [
  ...ITEMS,
  ...(voucherFiles.length > 0 ? VOUCHER_ITEMS : []),
  ...(payTime ? PAID_ITEMS : []),
  ...(closeTime ? CLOSED_ITEMS : []),
  ...(finishTime ? FINISHED_ITEMS : []),
  ...REMARK_ITEMS,
]

interface Props extends RecordNavigation<OrderRow> {
  onOpen(open: OpenOrder): void
}

/** Order drawer: details with refunds, targets, grants, ledger and history. */
export const OrderDrawer = ({ onOpen, ...props }: Props) => (
  <DetailDrawer
    {...props}
    rowKey="id"
    title={({ orderNo }) => `订单 ${orderNo}`}
    head={({ state, tenantId, tenantName, amount }) => ({
      state: <OrderTag state={state} />,
      facts: [
        ['客户', <TenantLink key="tenant" id={tenantId} name={tenantName} />],
        ['金额', formatCurrency(amount)],
      ],
    })}
  >
    {(row) => (
      <>
        <div className="order-actions">
          <OrderActions row={row} onOpen={onOpen} />
        </div>
        <Tabs
          items={[
            { key: 'details', label: '订单信息', children: <Details key={row.id} id={row.id} /> },
            { key: 'targets', label: '使用对象', children: <Targets key={row.id} orderId={row.id} /> },
            { key: 'grants', label: '权益', children: <OrderGrants key={row.id} orderId={row.id} /> },
            { key: 'ledger', label: '流水', children: <OrderLedger key={row.id} orderId={row.id} /> },
            createHistoryTab('agentOrder', row.id),
          ]}
        />
      </>
    )}
  </DetailDrawer>
)

function Details({ id }: { readonly id: number }) {
  const { data, error, refetch } = useRead(agentOrders.get, { id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={8} />
  return (
    <>
      <Descriptions row={data} items={itemsOf(data)} />
      {data.units.length > 0 && <Units list={data.units} />}
      {data.refunds.length > 0 && <Refunds list={data.refunds} />}
    </>
  )
}

/** Shows the amounts of an order by unit, summed over its targets and copies. */
const Units = ({ list }: { readonly list: OrderDetail['units'] }) => (
  <section>
    <h3 className="kit-heading">使用情况</h3>
    <div className="kit-scroll">
      <table className="kit-table" aria-label="使用情况">
        <thead>
          <tr>
            <th>内容</th>
            <th>总量</th>
            <th>剩余</th>
            <th>已用</th>
            <th>已失效</th>
            <th>已退款</th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ unit, isUnlimited, ...sums }) => (
            <tr key={unit}>
              <td>{UNIT[unit]}</td>
              {isUnlimited ? (
                <td colSpan={AMOUNTS.length}>不限</td>
              ) : (
                AMOUNTS.map((key) => <td key={key}>{formatAllowance(sums[key])}</td>)
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)
const AMOUNTS = ['total', 'left', 'spent', 'lapsed', 'refunded'] as const

const Refunds = ({ list }: { readonly list: readonly RefundRow[] }) => (
  <section>
    <h3 className="kit-heading">退款</h3>
    <ul className="kit-items">
      {list.map((refund) => (
        <li key={refund.id}>
          <div>
            <b>{formatCurrency(refund.amount)}</b> <RefundTag state={refund.state} /> {refund.reason}
          </div>
          <small>
            {refund.createName} 申请于 <Time at={refund.createTime} />
          </small>
          {refund.auditTime && (
            <small>
              {refund.auditName} 审批于 <Time at={refund.auditTime} />
              {refund.auditRemark && `：${refund.auditRemark}`}
            </small>
          )}
        </li>
      ))}
    </ul>
  </section>
)

const { col } = createColumns(TargetRow)
const TARGET_COLUMNS = [col('line', { width: 80, align: 'right' }), col('name', { width: 300 })]

function Targets({ orderId }: { readonly orderId: number }) {
  const list = useInnerList(agentOrders.targets, { orderId })
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={agentOrders.targets.input} name="name" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="order-targets"
        rowKey="id"
        columns={TARGET_COLUMNS}
        empty={{ text: '没有使用对象' }}
      />
    </>
  )
}
