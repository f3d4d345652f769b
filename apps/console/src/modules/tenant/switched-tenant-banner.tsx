import { Button } from 'antd'
import { useState } from 'react'
import { usePermissions } from '#core/auth/session.tsx'
import { switchToHomeTenant } from './enter-tenant.ts'
import './tenant.css'

/** Banner that names the tenant that the session was switched to, with a button that switches back. */
export function SwitchedTenantBanner() {
  const { switchedTenant } = usePermissions()
  const [busy, setBusy] = useState(false)
  if (!switchedTenant) return null
  const leave = () => {
    setBusy(true)
    const stay = () => setBusy(false)
    switchToHomeTenant().then((moved) => moved || stay(), stay)
  }
  return (
    <div className="kit-row switched-tenant-banner" role="status">
      <span>
        您正在客户「<strong>{switchedTenant.name}</strong>」中工作，看到和新增的都是该客户的数据
      </span>
      <Button size="small" loading={busy} onClick={leave}>
        返回{switchedTenant.home}
      </Button>
    </div>
  )
}
