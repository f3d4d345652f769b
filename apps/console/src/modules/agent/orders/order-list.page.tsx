import { agentGrants } from '@oms/contract/agent/orders/order-grant.ts'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { agentUsage } from '@oms/contract/agent/usage/usage.ts'
import { Tabs } from 'antd'
import type { ComponentType } from 'react'
import { type CallAccess, useMayCall } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useView } from '#core/routing/view.ts'
import { Page } from '#kit/record/page.tsx'
import { OrderList } from './order-list.tsx'

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
    <Page>
      {views.length > 1 && (
        <Tabs activeKey={view.key} onChange={setKey} items={[...views]} tabBarStyle={{ margin: 0 }} />
      )}
      <Panel key={view.key} />
    </Page>
  )
}
