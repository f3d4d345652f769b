import { useTabState } from '#core/routing/tab.tsx'
import { OrderList } from './order-list.tsx'
import { RefundList } from './refund-list.tsx'
import { ListSwitch } from './sales-cells.tsx'

const LISTS = [
  { value: 'orders', label: '订单' },
  { value: 'refunds', label: '退款' },
] as const

/** Orders of shops and their refunds. */
export function OrderTab() {
  const [list, setList] = useTabState<'orders' | 'refunds'>('orderList', 'orders')
  return (
    <>
      <ListSwitch value={list} options={LISTS} onChange={setList} />
      {list === 'orders' ? <OrderList /> : <RefundList />}
    </>
  )
}
