import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import {
  GiftInput,
  OrderInput,
  type OrderRow,
  PENDING_DAYS,
  type TargetRow,
} from '@oms/contract/agent/orders/order-entities.ts'
import { MAX_PAGE_SIZE } from '@oms/contract/core/page.ts'
import { Drawer, Form } from 'antd'
import { call } from '#core/api/client.ts'
import { MoneyField, NoteField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useIsVendor } from './order-cells.tsx'
import { OrderItemFields } from './order-fields.tsx'
import { OrderAmount, OrderPreview } from './order-preview.tsx'

interface Closable {
  readonly onClose: () => void
}
/** An earlier order whose package and targets a new order copies. */
export interface EarlierOrder {
  readonly row: OrderRow
  readonly targets: readonly TargetRow[]
}

const INITIAL = { copies: 1, discount: 0 }

/** Adds an order; another person confirms the payment. */
export function OrderAddForm({ from, onClose }: Closable & { readonly from?: EarlierOrder }) {
  const initial = from ? { ...INITIAL, ...toOrderItemValues(from) } : INITIAL
  const { drawer, footer, form } = useFormDrawer(agentOrders.create, { onClose, initial })
  const title = from ? `续购订单 ${from.row.orderNo}` : '新增订单'
  return (
    <Drawer
      {...drawer}
      title={title}
      footer={
        <FormFooter {...footer} saveText="提交订单">
          <OrderAmount form={form.form} isGift={0} />
        </FormFooter>
      }
    >
      <p className="kit-hint">提交后由其他人确认收款，确认后发放套餐。{PENDING_DAYS} 天内没有确认的订单自动关闭。</p>
      <Form {...form}>
        <OrderItemFields {...(from && { chosen: findChosenGoodsNames(from) })} />
        <DiscountField />
        <NoteField of={OrderInput} name="remark" rows={2} />
        <OrderPreview form={form.form} isGift={0} />
      </Form>
    </Drawer>
  )
}

/** Fields for a discount that the vendor grants, and for its reason. Hidden from staff of tenants. */
export function DiscountField() {
  const isVendor = useIsVendor()
  const discount = Form.useWatch<number | null | undefined>('discount')
  if (!isVendor) return null
  return (
    <div className="kit-pair">
      <MoneyField of={OrderInput} name="discount" hint="从标价合计中减去，没有优惠填 0" />
      {(discount ?? 0) > 0 && <NoteField of={OrderInput} name="discountReason" missing="请输入优惠原因" rows={1} />}
    </div>
  )
}

/** Adds a free order; another person confirms it. */
export function GiftAddForm({ onClose }: Closable) {
  const { drawer, footer, form } = useFormDrawer(agentOrders.gift, { onClose, initial: { copies: 1 } })
  return (
    <Drawer
      {...drawer}
      title="赠送套餐"
      footer={
        <FormFooter {...footer} saveText="提交赠送">
          <OrderAmount form={form.form} isGift={1} />
        </FormFooter>
      }
    >
      <p className="kit-hint">提交后由其他人确认，确认后发放套餐。{PENDING_DAYS} 天内没有确认的赠送自动关闭。</p>
      <Form {...form}>
        <OrderItemFields />
        <NoteField of={GiftInput} name="remark" rows={2} />
        <OrderPreview form={form.form} isGift={1} />
      </Form>
    </Drawer>
  )
}

/** Adds an order with the package and targets of an earlier order. */
export const OrderRenew = ({ row, onClose }: Closable & { readonly row: OrderRow }) => (
  <FreshRecord of={row.id} read={() => readTargets(row)} layer="drawer" title="续购订单" onClose={onClose}>
    {(targets) => <OrderAddForm from={{ row, targets }} onClose={onClose} />}
  </FreshRecord>
)

/** Reads all targets of an order. */
export async function readTargets({
  id: orderId,
  targetCount,
}: Pick<OrderRow, 'id' | 'targetCount'>): Promise<TargetRow[]> {
  const pages = Array.from({ length: Math.ceil(targetCount / MAX_PAGE_SIZE) }, (_, at) =>
    call(agentOrders.targets, { orderId, pageNum: at + 1, pageSize: MAX_PAGE_SIZE }, { quiet: true }),
  )
  return (await Promise.all(pages)).flatMap(({ list }) => list)
}

const DEVICES = 1
const AGENTS = 2

/** Returns the form values of the goods of an order. */
export function toOrderItemValues({ row: { tenantId, packageId, scope, copies }, targets }: EarlierOrder) {
  const ids = targets.map(({ targetId }) => targetId)
  return {
    tenantId,
    packageId,
    scope,
    copies,
    ...(scope === DEVICES && { deviceIds: ids }),
    ...(scope === AGENTS && { agentIds: ids }),
  }
}

/** Returns id and name of the tenant, the package and the targets of an earlier order. */
export const findChosenGoodsNames = ({ row, targets }: EarlierOrder) => ({
  tenant: { id: row.tenantId, name: row.tenantName },
  pack: { id: row.packageId, name: row.packageName },
  targets: targets.map(({ targetId, name }) => ({ id: targetId, name })),
})
