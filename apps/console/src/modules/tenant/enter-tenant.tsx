import { tenant } from '@oms/contract/tenant/tenant.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { call } from '#core/api/client.ts'
import { moveCredentials } from '#core/auth/credentials.ts'
import { usePermissions } from '#core/auth/session.tsx'
import { publishToTabs } from '#core/events/tab-channel.ts'
import { hasUnsavedInput, navigateAway } from '#core/routing/leave-page.ts'
import './tenant.css'

interface Place {
  readonly ownerId: number
  readonly ownerName: string
}

/**
 * Switches the session to another tenant and reloads the page. Asks about unsaved input before the server switches,
 * because the browser's own dialog could keep the page in the old tenant. Requests of the old page still name the old
 * tenant, so the server refuses them. Returns true after a switch.
 */
async function switchWith(request: () => Promise<Place>): Promise<boolean> {
  if (hasUnsavedInput() && !confirm('有未保存的内容，切换客户后将丢失。确定切换？')) return false
  moveCredentials(await request())
  sessionStorage.removeItem('tabs')
  publishToTabs({ type: 'moved' })
  navigateAway('/')
  return true
}

export const switchToTenant = (id: number) => switchWith(() => call(tenant.switchTo, { id }))
const switchToHomeTenant = () => switchWith(() => call(tenant.switchBack, {}))

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
