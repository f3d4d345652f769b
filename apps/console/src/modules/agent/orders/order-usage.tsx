import { agentMargins } from '@oms/contract/agent/orders/order-margin.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { MarginPanel } from './margin-panel.tsx'
import { useIsVendor } from './order-cells.tsx'
import { BuyerPicker, useHasManyBuyers } from './order-pickers.tsx'
import { UsagePanel } from '../usage/usage-panel.tsx'

/** View 用量 of the order page: the measured usage and, for the vendor, income and cost. `start`: filters of the URL. */
export function OrderUsage({ start }: { readonly start: string }) {
  const params = new URLSearchParams(start)
  const tenantId = Number(params.get('tenantId')) || undefined
  const startDate = params.get('startDate') ?? undefined
  const endDate = params.get('endDate') ?? undefined
  const hasBuyers = useHasManyBuyers()
  const isVendor = useIsVendor()
  const mayReadMargins = useMayCall()(agentMargins.list)
  return (
    <UsagePanel
      start={{ tenantId, startDate, endDate }}
      {...(hasBuyers && { tenantSelect: <BuyerPicker /> })}
      {...(isVendor && mayReadMargins && { extra: (of) => <MarginPanel {...of} /> })}
    />
  )
}
