import { type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { hasOpenSession } from '../history/open-session.ts'

/** Returns the condition for the bound devices in the data scope of an account. */
export const visibleBindings = (user: User) =>
  scoped(user, { tenant: agentDevices.tenantId, creator: agentDevices.createBy })

const lastSign = sql`greatest(${agentDevices.bootTime}, ${agentDevices.sessionTime}, ${agentDevices.turnTime})`

/** Returns the SQL of the state of a device: 0 never booted, 1 booted, 2 talking, 3 silent for a day. */
export const computeDeviceState = (window: SQL) => sql<number>`case
  when ${lastSign} is null then 0 when ${hasOpenSession(window)} then 2
  when ${lastSign} > now() - interval '24 hours' then 1 else 3 end`

/** SQL of a flag: 1 while another Client-Id uses the MAC of the device, else 0. */
export const HAS_OTHER_IDENTITY_SQL = sql<number>`case when ${agentDevices.otherClientId} <> '' then 1 else 0 end`

/** Maximum seconds until a voice server reports the end of a session. */
const END_SECONDS = 60
const toWindow = (value: string) => Number(value) + END_SECONDS

/**
 * Returns the seconds without a turn after which a session counts as closed. `others` contains the tenants whose value
 * differs from `standard`.
 */
export async function readSessionWindows({ agentParameters }: Pick<Services, 'agentParameters'>) {
  const { standard, own } = await agentParameters.valuesOf('close_connection_no_voice_time')
  const others = [...own].filter(([, value]) => value !== standard)
  return { standard: toWindow(standard), others: others.map(([id, value]) => [id, toWindow(value)] as const) }
}

/** Returns the SQL of the seconds of `readSessionWindows` for the tenant of each bound device. */
export async function readSessionWindow(services: Pick<Services, 'agentParameters'>): Promise<SQL> {
  const { standard, others } = await readSessionWindows(services)
  if (others.length === 0) return sql`${standard}::int`
  const cases = others.map(([tenantId, seconds]) => sql`when ${tenantId}::int then ${seconds}::int`)
  return sql`case ${agentDevices.tenantId} ${sql.join(cases, sql` `)} else ${standard}::int end`
}
