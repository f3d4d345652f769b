import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import {
  GiftInput,
  OrderInput,
  type OrderRow,
  PENDING_DAYS,
  type TargetRow,
  GIFT_PAY_WAY,
  type OrderDetail,
  type OrderPreview as Preview,
  splitSerials,
} from '@oms/contract/agent/orders/order-entities.ts'
import { MAX_PAGE_SIZE } from '@oms/contract/core/page.ts'
import { Drawer, Form, Alert, type FormInstance, Spin } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { MoneyField, NoteField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useIsVendor } from './order-cells.tsx'
import { OrderItemFields } from './order-fields.tsx'
import { formatCurrency } from '@oms/contract/core/money.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { useRead } from '#core/api/query.ts'
import { useDebounced } from '#kit/form/use-debounced.ts'

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

/** Edits a pending order. Loads the current order and its targets when the form opens. */
export const OrderEditForm = ({ row, onClose }: { readonly row: OrderRow; readonly onClose: () => void }) => (
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

/** Maximum number of refused targets that the preview names. */
const MOST_NAMED = 5

interface OrderPreviewProps {
  readonly form: FormInstance
  readonly isGift: 0 | 1
}

/** Shows the amount of the order in the form and what every target gets, computed by the server. */
function OrderPreview(props: OrderPreviewProps) {
  const { isReady, data, error, isFetching } = useOrderPreview(props.form, props.isGift)
  if (!isReady) return <p className="kit-hint">填写完整后，这里显示订单金额和每个使用对象得到的内容。</p>
  if (error) return <Alert type="warning" showIcon title={error.message} />
  return (
    <Spin spinning={isFetching}>
      {data ? <Facts of={data} isGift={props.isGift === 1} /> : <div style={{ height: 80 }} />}
    </Spin>
  )
}

/** Shows the amount due beside the submit button, because the preview can be below the visible part of the form. */
function OrderAmount({ form, isGift }: OrderPreviewProps) {
  const { isReady, data, error, isFetching } = useOrderPreview(form, isGift)
  if (!isReady || error || !data) return null
  const { amount, targetCount, problems } = data
  return (
    <span role="status" aria-busy={isFetching}>
      {isGift ? '赠送，应收' : '应收'} <b>{formatCurrency(amount)}</b> · {targetCount.toLocaleString()} 个使用对象
      {problems.length > 0 && <span className="kit-problem">，{problems.length.toLocaleString()} 个不能下单</span>}
    </span>
  )
}

function Facts({ of, isGift }: { readonly of: Preview; readonly isGift: boolean }) {
  const { targetCount, grantCount, listAmount, discount, amount, problems } = of
  return (
    <section className="kit-block" aria-label="订单预览">
      <p className="kit-hint kit-row kit-sum">
        <span>
          {targetCount.toLocaleString()} 个使用对象，发放 {grantCount.toLocaleString()} 项权益
        </span>
        <span>标价 {formatCurrency(listAmount)}</span>
        {discount > 0 && <span>优惠 {formatCurrency(discount)}</span>}
        <span>
          {isGift ? '赠送，应收' : '应收'} <b>{formatCurrency(amount)}</b>
        </span>
      </p>
      {problems.length > 0 && <Problems list={problems} />}
      <h3 className="kit-heading">今天付款并开始使用，每个使用对象得到</h3>
      <ul className="kit-items">
        {of.packs.map((pack) => (
          <li key={pack.packNo}>
            <b>
              第 {pack.packNo} 份 · {of.content}
            </b>
            <span className="kit-muted">
              {pack.beginTime.slice(0, 10)} 开始，{pack.validUntil.slice(0, 10)} 结束；最晚{' '}
              {pack.activateUntil.slice(0, 10)} 前开始使用
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Problems = ({ list }: { readonly list: Preview['problems'] }) => (
  <Alert
    type="error"
    showIcon
    className="kit-note"
    title={`${list.length.toLocaleString()} 个使用对象不能下单，请移除后提交`}
    description={
      <>
        {list.slice(0, MOST_NAMED).map(({ name, msg }) => (
          <div key={`${name}:${msg}`}>
            {name}：{msg}
          </div>
        ))}
        {list.length > MOST_NAMED && <div>……</div>}
      </>
    }
  />
)

type Input = InputOf<typeof agentOrders.preview>
type Asked = Partial<Input> & { readonly scope?: number }

const WHOLE_TENANT = 3

/** Reads the preview of the order in the form. `isReady` is false while package, targets or copies are missing. */
function useOrderPreview(form: FormInstance, isGift: 0 | 1) {
  const watched = Form.useWatch((all: Asked) => all, { form, preserve: true }) as Asked | undefined
  const input = toPreviewInput(JSON.parse(useDebounced(JSON.stringify(watched ?? {}))) as Asked, isGift)
  const isReady = input !== undefined
  const read = useRead(agentOrders.preview, input ?? ({} as Input), { quiet: true, enabled: isReady })
  return { isReady, data: read.data, error: read.error, isFetching: read.isFetching }
}

function toPreviewInput(values: Asked, isGift: 0 | 1): Input | undefined {
  const { scope, packageId, tenantId, deviceIds, groupId, serials, agentIds, copies, discount } = values
  const hasTargets =
    scope === WHOLE_TENANT ||
    groupId !== undefined ||
    [deviceIds, agentIds, splitSerials(serials ?? '')].some((list) => Array.isArray(list) && list.length > 0)
  if (packageId === undefined || !hasTargets || !copies) return undefined
  const goods = { packageId, tenantId, deviceIds, groupId, serials, agentIds, copies }
  return { ...goods, discount: isGift ? 0 : (discount ?? 0), isGift }
}
