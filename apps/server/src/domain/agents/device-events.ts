import type { AGENT_EVENT } from '@oms/contract/agent/device-event.ts'
import type { Db } from '#core/database/client.ts'
import { agentEvents } from '#schema/agent-device.ts'

export interface DeviceEvent {
  readonly mac: string
  /** Absent for an unbound device. */
  readonly tenantId?: number | undefined
  readonly kind: keyof typeof AGENT_EVENT
  readonly detail?: Readonly<Record<string, string | number | boolean>>
}

/** Inserts events into the timelines of devices. */
export async function addEvents(db: Db, events: readonly DeviceEvent[]) {
  if (events.length > 0) await db.insert(agentEvents).values([...events])
}
