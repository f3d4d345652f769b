import { agentIncome } from '@oms/contract/agent/orders/order-income.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { useSearchParams } from '#core/routing/router.tsx'
import { IncomePanel } from './income-panel.tsx'
import { useIsVendor } from './order-cells.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { UsagePanel } from '../usage/usage-panel.tsx'

/** View 用量 of the order page: the measured usage and, for the vendor, income and cost. The URL has all filters. */
export function OrderUsage() {
  const address = useSearchParams()
  const hasBuyers = useHasManyTenants()
  const isVendor = useIsVendor()
  const mayReadIncome = useMayCall()(agentIncome.list)
  return (
    <UsagePanel
      address={address}
      {...(hasBuyers && { tenantSelect: <TenantPicker /> })}
      {...(isVendor && mayReadIncome && { extra: (of) => <IncomePanel {...of} /> })}
    />
  )
}
