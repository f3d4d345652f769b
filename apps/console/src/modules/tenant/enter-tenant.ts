import { tenant } from '@oms/contract/tenant/tenant.ts'
import { call } from '#core/api/client.ts'
import { publishToTabs } from '#core/events/tab-channel.ts'
import { moveCredentials } from '#core/auth/credentials.ts'
import { hasUnsavedInput, navigateAway } from '#core/routing/leave-page.ts'

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
export const switchToHomeTenant = () => switchWith(() => call(tenant.switchBack, {}))
