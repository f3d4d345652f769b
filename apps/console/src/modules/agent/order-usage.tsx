import { BuyerPicker, useHasManyBuyers } from './order-pickers.tsx'
import { UsagePanel } from './usage-panel.tsx'

/** View of the orders' page: the measured use. `start` has filters of an address. */
export function OrderUsage({ start }: { readonly start: string }) {
  const params = new URLSearchParams(start)
  const tenantId = Number(params.get('tenantId')) || undefined
  const startDate = params.get('startDate') ?? undefined
  const endDate = params.get('endDate') ?? undefined
  const hasBuyers = useHasManyBuyers()
  return (
    <UsagePanel
      start={{ tenantId, startDate, endDate }}
      {...(hasBuyers && { tenantSelect: <BuyerPicker /> })}
    />
  )
}
