import { appKeys } from '@oms/contract/storage/app-key.ts'
import { playbackConsents } from '@oms/contract/storage/consent.ts'
import { storageAllowances } from '@oms/contract/storage/allowance.ts'
import { storageCards } from '@oms/contract/storage/card.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { storageHooks } from '@oms/contract/storage/hook.ts'
import { storageOrders } from '@oms/contract/storage/order.ts'
import { Tabs } from 'antd'
import type { ComponentType } from 'react'
import { useMayCall, type CallAccess } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useView } from '#core/routing/view.ts'
import { Page } from '#kit/record/page.tsx'
import { EntitlementList } from './entitlements/entitlement-list.tsx'

interface View {
  readonly key: string
  readonly label: string
  /** The tab is hidden when the account may call none of these endpoints. */
  readonly to: CallAccess | readonly CallAccess[]
  readonly panel: ComponentType
}

/** Tabs of the screen, in their order. */
const VIEWS: readonly View[] = [
  { key: 'entitlements', label: '开通记录', to: storageEntitlements.list, panel: EntitlementList },
  {
    key: 'orders',
    label: '订单',
    to: storageOrders.list,
    panel: lazyAfterRender(() => import('./order-tab.tsx'), 'OrderTab'),
  },
  {
    key: 'cards',
    label: '卡密',
    to: storageCards.list,
    panel: lazyAfterRender(() => import('./card-tab.tsx'), 'CardTab'),
  },
  {
    key: 'files',
    label: '批量任务',
    to: storageGrantFiles.list,
    panel: lazyAfterRender(() => import('./entitlements/grant-file-tab.tsx'), 'GrantFileTab'),
  },
  {
    key: 'allowances',
    label: '开通额度',
    to: storageAllowances.list,
    panel: lazyAfterRender(() => import('./allowance-list.tsx'), 'AllowanceList'),
  },
  {
    key: 'hooks',
    label: '回调与密钥',
    to: [storageHooks.list, appKeys.list],
    panel: lazyAfterRender(() => import('./hook-tab.tsx'), 'HookTab'),
  },
  {
    key: 'playback',
    label: '授权与查看记录',
    to: playbackConsents.list,
    panel: lazyAfterRender(() => import('./playback/playback-panel.tsx'), 'PlaybackPanel'),
  },
]

/** Shows entitlements, orders, cards, allowances, files, webhooks and consents in tabs. */
export default function ActivationPage() {
  const mayCall = useMayCall()
  const views = VIEWS.filter(({ to }) => [to].flat().some((call) => mayCall(call)))
  const [key, setKey] = useView('entitlements')
  const view = views.find((each) => each.key === key) ?? views[0]
  if (!view) return null
  const Panel = view.panel
  return (
    <Page tabs={views.length > 1 && <Tabs activeKey={view.key} onChange={setKey} items={[...views]} />}>
      <Panel key={view.key} />
    </Page>
  )
}
