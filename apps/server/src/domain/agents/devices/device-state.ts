import { sql } from 'drizzle-orm'
import type { Ctx, User } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { agentDevices } from '#schema/agent/agent-device.ts'
import { hasOpenSession } from '../history/open-session.ts'

/** Returns the condition for the bound devices in the data scope of an account. */
export const visibleBindings = (user: User) =>
  scoped(user, { tenant: agentDevices.tenantId, creator: agentDevices.createBy })

const lastSign = sql`greatest(${agentDevices.bootTime}, ${agentDevices.sessionTime}, ${agentDevices.turnTime})`

/** Returns the SQL of the state of a device: 0 never booted, 1 booted, 2 talking, 3 silent for a day. */
export const computeDeviceState = (window: number) => sql<number>`case
  when ${lastSign} is null then 0 when ${hasOpenSession(window)} then 2
  when ${lastSign} > now() - interval '24 hours' then 1 else 3 end`

/** SQL of a flag: 1 while another Client-Id uses the MAC of the device, else 0. */
export const hasOtherIdentity = sql<number>`case when ${agentDevices.otherClientId} <> '' then 1 else 0 end`

/** Returns the seconds without a turn after which a session counts as closed. */
export async function readSessionWindowSeconds({ services, user }: Pick<Ctx, 'services' | 'user'>) {
  const values = await services.agentParameters.of(user.tenantId ?? PLATFORM_TENANT_ID)
  return values.number('close_connection_no_voice_time') + 60
}
