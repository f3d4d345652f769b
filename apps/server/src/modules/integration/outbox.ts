import { randomBytes } from 'node:crypto'
import type { EventType } from '@oms/contract/integration/webhook.ts'
import type { Db } from '#core/database/client.ts'
import type { Events } from '#core/events/events.ts'
import { outboxEvents } from './schema.ts'

/** An event without message texts and contacts: receivers read more with the API and its rights. */
interface OutboxEvent {
  readonly type: EventType
  readonly tenantId: number
  readonly data: Readonly<Record<string, unknown>>
}

export const createEventId = () => `evt_${randomBytes(13).toString('hex')}`

/** Writes an event in the transaction of the change. The senders of all processes wake after its commit. */
export async function publishOutboxEvent({ events }: { readonly events: Events }, db: Db, event: OutboxEvent) {
  await db.insert(outboxEvents).values({ ...event, eventId: createEventId() })
  await events.publish(db, 'outbox', {})
}

/** Does the same with a plain connection, for the calls of devices. */
export async function insertOutboxEvent(
  client: { query(text: string, values: unknown[]): Promise<unknown> },
  { type, tenantId, data }: OutboxEvent,
) {
  const values = [tenantId, createEventId(), type, JSON.stringify(data), JSON.stringify({ topic: 'outbox' })]
  await client.query(
    `with event as (insert into outbox_events (tenant_id, event_id, type, data) values ($1, $2, $3, $4))
     select pg_notify('oms', $5)`,
    values,
  )
}
