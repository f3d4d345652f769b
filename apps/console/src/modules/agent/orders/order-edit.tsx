import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import {
  GIFT_PAY_WAY,
  GiftInput,
  type OrderDetail,
  OrderInput,
  type OrderRow,
} from '@oms/contract/agent/orders/order-entities.ts'
import { Drawer, Form } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { NoteField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { OrderItemFields } from './order-fields.tsx'
import {
  findChosenGoodsNames,
  DiscountField,
  type EarlierOrder,
  readTargets,
  toOrderItemValues,
} from './order-form.tsx'
import { OrderAmount, OrderPreview } from './order-preview.tsx'

interface Props {
  readonly row: OrderRow
  readonly onClose: () => void
}

/** Edits a pending order. Loads the current order and its targets when the form opens. */
export const OrderEditForm = ({ row, onClose }: Props) => (
  <FreshRecord of={row.id} read={() => readOrder(row)} layer="drawer" title="编辑订单" onClose={onClose}>
    {(order) => <EditDrawer order={order} onClose={onClose} />}
  </FreshRecord>
)

interface Order extends EarlierOrder {
  readonly row: OrderDetail
}

async function readOrder(row: OrderRow): Promise<Order> {
  const fresh = await readFresh(agentOrders.get, { id: row.id }, row as OrderDetail)
  return { row: fresh, targets: await readTargets(fresh) }
}

function EditDrawer({ order, onClose }: { readonly order: Order; readonly onClose: () => void }) {
  const { row } = order
  const { id, rev, remark, discountReason } = row
  const isGift = row.payWay === GIFT_PAY_WAY
  const discount = isGift ? 0 : row.discount
  const { drawer, footer, form } = useFormDrawer(agentOrders.update, {
    onClose,
    initial: { ...toOrderItemValues(order), id, rev, remark, discount, discountReason },
    latest: async () => {
      const fresh = await call(agentOrders.get, { id })
      return { id, rev: fresh.rev }
    },
  })
  return (
    <Drawer
      {...drawer}
      title={`编辑订单 ${row.orderNo}`}
      footer={
        <FormFooter {...footer}>
          <OrderAmount form={form.form} isGift={isGift ? 1 : 0} />
        </FormFooter>
      }
    >
      <p className="kit-hint">按套餐现在的价格和内容重新计算。保存后，已打开的确认窗口需要重新打开。</p>
      <Form {...form}>
        <OrderItemFields chosen={findChosenGoodsNames(order)} />
        {!isGift && <DiscountField />}
        <NoteField of={isGift ? GiftInput : OrderInput} name="remark" rows={2} />
        <OrderPreview form={form.form} isGift={isGift ? 1 : 0} />
      </Form>
    </Drawer>
  )
}
