import type { AGENT_EVENT } from '@oms/contract/agent/devices/device-event.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

export interface DeviceEvent {
  readonly mac: string
  /** Absent for an unbound device. */
  readonly tenantId?: number | undefined
  readonly kind: keyof typeof AGENT_EVENT
  readonly detail?: Readonly<Record<string, string | number | boolean>>
}

/**
 * Inserts events into the timelines of devices. Passes all events in one parameter. With a parameter for each value,
 * thousands of events would cost more than the calls that caused them.
 */
export async function addEvents(db: Pick<Db, 'execute'>, events: readonly DeviceEvent[]) {
  if (events.length === 0) return
  await db.execute(sql`
    insert into agent_events (mac, tenant_id, kind, detail)
    select mac, "tenantId", kind, coalesce(detail, '{}')
    from json_to_recordset(${JSON.stringify(events)}::json) as e (mac varchar, "tenantId" int, kind smallint, detail jsonb)`)
}
