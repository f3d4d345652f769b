import {
  type OrderDetail,
  type OrderItem,
  OrderRow,
  REFUND_ORIGIN,
  type RefundRow,
  storageOrders,
} from '@oms/contract/storage/order.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Tabs } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { StateTag } from './entitlements/entitlement.tsx'
import { RefundActions, type RefundDialog, RefundDialogs } from './order-tab.tsx'
import { PayTag, RefundTag } from './sales-cells.tsx'

const { item } = createDescriptions(OrderRow)
const ITEMS = [
  item('orderNo'),
  item('hookName'),
  item('refunded', formatCurrency),
  item('createTime', time),
  item('payTime', time),
]

/** Order drawer: items with their entitlements, refunds and history. */
export function OrderDrawer(props: {
  rows: readonly OrderRow[]
  row: OrderRow | undefined
  onRow(row: OrderRow | undefined): void
}) {
  return (
    <DetailDrawer
      {...props}
      rowKey="id"
      title={({ outOrderNo }) => `订单 ${outOrderNo}`}
      head={({ payStatus, tenantId, tenantName, amount }) => ({
        state: <PayTag status={payStatus} />,
        facts: [
          ['客户', <TenantLink key="tenant" id={tenantId} name={tenantName} />],
          ['金额', formatCurrency(amount)],
        ],
      })}
    >
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '订单信息', children: <Details key={row.id} row={row} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="storageOrder" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Details({ row }: { row: OrderRow }) {
  const { data, error, refetch } = useRead(storageOrders.get, { id: row.id }, { quiet: true, keepPrevious: false })
  const [dialog, setDialog] = useState<RefundDialog>()
  return (
    <>
      <Descriptions row={data?.row ?? row} items={ITEMS} />
      {data ? <Lines order={data} onDialog={setDialog} /> : <Waiting reads={[{ error, refetch }]} rows={3} />}
      <RefundDialogs dialog={dialog} onClose={() => setDialog(undefined)} />
    </>
  )
}

interface LinesProps {
  readonly order: OrderDetail
  onDialog(dialog: RefundDialog): void
}

const Lines = ({ order, onDialog }: LinesProps) => (
  <>
    <section>
      <h3 className="kit-heading">订单明细</h3>
      <ul className="kit-items">
        {order.items.map((each) => (
          <Item key={each.id} of={each} outOrderNo={order.row.outOrderNo} onDialog={onDialog} />
        ))}
      </ul>
    </section>
    {order.refunds.length > 0 && (
      <section>
        <h3 className="kit-heading">退款</h3>
        <ul className="kit-items">
          {order.refunds.map((refund) => (
            <Refund key={refund.id} of={refund} onDialog={onDialog} />
          ))}
        </ul>
      </section>
    )}
  </>
)

function Item({ of, outOrderNo, onDialog }: Pick<LinesProps, 'onDialog'> & { of: OrderItem; outOrderNo: string }) {
  const { id: itemId, sn, refundable } = of
  const target = { itemId, outOrderNo, sn, refundable }
  return (
    <li>
      <div>
        <b>{of.packageName}</b> × {of.copies} 份 · {formatCurrency(of.amount)}
        {of.refunded > 0 && `，已退 ${formatCurrency(of.refunded)}`}
      </div>
      <div className="kit-muted">
        {sn} · 通道 {of.channels.join('、')}
        {refundable > 0 && ` · 可退 ${formatCurrency(refundable)}`}
      </div>
      {of.entitlements.map((each) => (
        <div key={each.id} className="kit-muted">
          {each.entNo} 通道 {each.channel} <StateTag state={each.state} />
          {each.endTime && `至 ${each.endTime}`}
        </div>
      ))}
      {refundable > 0 && (
        <RowActions
          items={[
            {
              label: '申请退款',
              to: storageOrders.requestRefund,
              onClick: () => onDialog({ kind: 'request', target }),
            },
            {
              label: '登记线下退款',
              to: storageOrders.recordRefund,
              onClick: () => onDialog({ kind: 'record', target }),
            },
          ]}
        />
      )}
    </li>
  )
}

const Refund = ({ of, onDialog }: Pick<LinesProps, 'onDialog'> & { of: RefundRow }) => (
  <li>
    <div>
      <b>{formatCurrency(of.amount)}</b> <RefundTag state={of.state} />{' '}
      {REFUND_ORIGIN[of.origin as keyof typeof REFUND_ORIGIN]}
      {of.stops === 1 && ' · 停止服务'}
    </div>
    <div className="kit-muted">
      {of.refundNo}
      {of.outRefundNo && ` · 退款单号 ${of.outRefundNo}`} · {of.reason}
    </div>
    <small>
      <Time at={of.doneTime ?? of.createTime} /> {of.operName}
    </small>
    <RefundActions row={of} onDialog={onDialog} />
  </li>
)
