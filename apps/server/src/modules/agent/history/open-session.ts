import { type SQL, sql } from 'drizzle-orm'
import { agentDevices } from '../schema/agent-device.ts'

/**
 * Returns the condition for a device with an open conversation. Such a device took its configuration or talked within
 * `seconds`, and its session has no reported end. The condition is derived, because voice servers do not report the
 * state of devices.
 */
export function hasOpenSession(seconds: SQL) {
  const last = sql`greatest(${agentDevices.sessionTime}, ${agentDevices.turnTime})`
  return sql`coalesce(${last} > now() - make_interval(secs => ${seconds}) and ${last} > coalesce(${agentDevices.closeTime}, '-infinity'), false)`
}
