import { ListSwitch } from '../list-switch.tsx'
import { OrderList } from './order-list.tsx'
import { RefundList } from './refund-list.tsx'

const LISTS = [
  { value: 'orders', label: '订单', panel: OrderList },
  { value: 'refunds', label: '退款', panel: RefundList },
]

/** Orders of shops and their refunds. */
export const OrderTab = () => <ListSwitch lists={LISTS} />
