import { GRANT_STATE } from '@oms/contract/agent/orders/order-grant.ts'
import { GIFT_PAY_WAY, ORDER_STATE, type OrderRow, REFUND_STATE } from '@oms/contract/agent/orders/order-entities.ts'
import { useSession } from '#core/auth/session.tsx'
import { DASH } from '#core/text/format.ts'
import './order.css'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { State } from '#kit/record/state.tsx'

type Words = Readonly<Record<number, string>>

const ORDER_WORDS: Words = ORDER_STATE
const ORDER_COLOR: Words = { 0: 'warning', 1: 'success', 2: 'processing', 5: 'blue' }
const REFUND_WORDS: Words = REFUND_STATE
const REFUND_COLOR: Words = { 0: 'warning', 1: 'success' }
const GRANT_WORDS: Words = GRANT_STATE
const GRANT_COLOR: Words = { 0: 'processing', 1: 'success' }

export const OrderTag = ({ state }: { readonly state: number }) => (
  <State color={ORDER_COLOR[state]}>{ORDER_WORDS[state]}</State>
)
export const RefundTag = ({ state }: { readonly state: number }) => (
  <State color={REFUND_COLOR[state]}>{REFUND_WORDS[state]}</State>
)

/** Shows the state of a grant. A frozen grant is not spent until its refund is decided. */
export const GrantTag = ({ row: { state, isFrozen } }: { readonly row: { state: number; isFrozen: number } }) =>
  isFrozen === 1 ? <State color="warning">冻结</State> : <State color={GRANT_COLOR[state]}>{GRANT_WORDS[state]}</State>

/** Returns the title of the action that confirms an order. Gifts and free orders have titles without a payment. */
export const nameConfirmation = ({ payWay, amount }: Pick<OrderRow, 'payWay' | 'amount'>) =>
  payWay === GIFT_PAY_WAY ? '确认赠送' : amount === 0 ? '确认免费订单' : '确认收款'

/** Formats the amount of an allowance. Minutes have fractions. */
export const formatAllowance = (amount: number) => amount.toLocaleString('zh-CN', { maximumFractionDigits: 2 })

/** Names the targets of an order: `CAM1 等 3 个`. */
export const formatOrderTargets = ({
  targetName,
  targetCount,
}: {
  readonly targetName: string
  readonly targetCount: number
}) => (targetCount > 1 ? `${targetName} 等 ${targetCount.toLocaleString()} 个` : targetName)

/** Returns whether the account belongs to the vendor, whose staff sells, confirms and refunds. */
export const useIsVendor = () => useSession()?.ownerId === '1'

const findLevel = (share: number) => (share < 0.05 ? 'error' : share < 0.2 ? 'warning' : 'primary')

/** Bar of the share that is left, from 0 to 1. */
const LeftBar = ({ share }: { readonly share: number }) => (
  <span className="kit-bar" aria-hidden>
    <span style={{ width: `${share * 100}%`, background: `var(--ant-color-${findLevel(share)})` }} />
  </span>
)

/** Shows the rest of each allowance of an order, with a bar of the smallest share. */
export function OrderBalance({ row: { left, leftShare } }: { readonly row: Pick<OrderRow, 'left' | 'leftShare'> }) {
  if (left === '') return DASH
  return (
    <span className="order-left">
      <Ellipsis text={left} />
      {leftShare !== null && <LeftBar share={leftShare} />}
    </span>
  )
}

interface LeftProps {
  readonly row: { readonly isUnlimited: number; readonly left: number; readonly total: number }
}

/** Shows the unspent part of a grant, with a bar. */
export function GrantBalance({ row: { isUnlimited, left, total } }: LeftProps) {
  if (isUnlimited === 1) return '不限'
  const share = total === 0 ? 0 : left / total
  return (
    <span className="order-left">
      <span>
        {formatAllowance(left)} / {formatAllowance(total)}
      </span>
      <LeftBar share={share} />
    </span>
  )
}

export const formatDays = (days: number) => `${days.toLocaleString()} 天`

/** Price in yuan, with the struck-through original price when it is higher. */
export const ProductPrice = ({ price, originPrice }: { price: number; originPrice: number }) => (
  <span className="kit-number">
    {price === 0 ? '免费' : formatCurrency(price)}
    {originPrice > price && <del>{formatCurrency(originPrice)}</del>}
  </span>
)
