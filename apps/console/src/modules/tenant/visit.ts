import { tenant } from '@oms/contract/tenant.ts'
import { call } from '#kernel/call.ts'
import { moveCredentials } from '#kernel/credentials.ts'
import { loadCredentials } from '#kernel/session.tsx'
import { tell } from '#kernel/channel.ts'

/** Everything open shows the other tenant's rows: the program starts anew at home, its tabs closed. */
function startAnew(place: { ownerId: number; ownerName: string }) {
  moveCredentials(place)
  loadCredentials()
  sessionStorage.removeItem('tabs')
  tell({ type: 'moved' })
  location.assign('/')
}

export const enterTenant = async (id: number) => startAnew(await call(tenant.switchTo, { id }))
export const leaveTenant = async () => startAnew(await call(tenant.switchBack, {}))
