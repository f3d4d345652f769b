import { HookEvent } from '@oms/contract/storage/hook-event.ts'
import { and, eq, sql } from 'drizzle-orm'
import { ossHookEvents, ossHooks } from '../schema-sales.ts'
import { runAsActor } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import { ApiError } from '#core/http/api-error.ts'
import type { Services } from '#core/services.ts'
import { type Webhook, createWebhookActor } from './hook-user.ts'
import { applyOrderEvent } from '../orders/order-event.ts'

const DONE = 1
const REFUSED = 2
const ENTRY = { name: 'receive', method: 'POST', path: '/api/v1/oss/hook/:hookId', title: '商城订单回调' } as const

/** Outcome of an event: HTTP 200 or 409. */
export interface HookOutcome {
  readonly isDone: boolean
  readonly message: string
}

/** Parses the body of an event; undefined when it is unreadable. */
export function parseEvent(body: string): HookEvent | undefined {
  try {
    return HookEvent.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

/** Applies an event inside the transaction. A refusal rolls back to a savepoint, so that the event can be kept. */
async function attempt(services: Services, db: Db, hook: Webhook, event: HookEvent, ip: string): Promise<HookOutcome> {
  const within = { ...services, database: { ...services.database, db } }
  try {
    await runAsActor(
      within,
      createWebhookActor(hook, ip),
      { ...ENTRY, input: { type: event.type, id: event.id } },
      (ctx) => applyOrderEvent(ctx, hook, event),
    )
    return { isDone: true, message: '' }
  } catch (error) {
    if (error instanceof ApiError) return { isDone: false, message: error.message }
    throw error
  }
}

const isEvent = (hook: Webhook, eventId: string) =>
  and(eq(ossHookEvents.hookId, hook.id), eq(ossHookEvents.eventId, eventId))

/** Inserts the event, or locks the one that was sent before. */
async function claimEvent(db: Db, hook: Webhook, event: HookEvent, body: string, now: Date) {
  const sns = [...new Set(event.data.items.map(({ sn }) => sn))]
  const facts = { type: event.type, outOrderNo: event.data.outOrderNo, sns, body }
  const [made] = await db
    .insert(ossHookEvents)
    .values({
      ...facts,
      tenantId: hook.tenantId,
      hookId: hook.id,
      eventId: event.id,
      result: REFUSED,
      createTime: now.toISOString(),
      updateTime: now.toISOString(),
    })
    .onConflictDoNothing()
    .returning({ id: ossHookEvents.id })
  if (made) return { id: made.id, isDone: false }
  const [stored] = await db.select().from(ossHookEvents).where(isEvent(hook, event.id)).for('update')
  if (stored!.result !== DONE)
    await db
      .update(ossHookEvents)
      .set({ ...facts, attempts: sql`${ossHookEvents.attempts} + 1` })
      .where(eq(ossHookEvents.id, stored!.id))
  return { id: stored!.id, isDone: stored!.result === DONE }
}

async function finish(db: Db, id: number, { isDone, message }: HookOutcome, now: Date) {
  const updateTime = now.toISOString()
  await db
    .update(ossHookEvents)
    .set({ result: isDone ? DONE : REFUSED, message: message.slice(0, 200), updateTime })
    .where(eq(ossHookEvents.id, id))
}

/**
 * Receives a signed event: inserts its id, acts and stores the result in one transaction. An id that was processed
 * before changes nothing; one that was refused before is tried again with the new body.
 */
export const receiveEvent = (services: Services, hook: Webhook, event: HookEvent, body: string, ip: string) =>
  services.database.db.transaction(async (db): Promise<HookOutcome> => {
    const now = services.now()
    const claimed = await claimEvent(db, hook, event, body, now)
    if (claimed.isDone) return { isDone: true, message: '已处理过' }
    const outcome = await attempt(services, db, hook, event, ip)
    await finish(db, claimed.id, outcome, now)
    return outcome
  })

/** Processes a kept event again. */
export const replayEvent = (services: Services, eventRowId: number, ip: string) =>
  services.database.db.transaction(async (db): Promise<HookOutcome> => {
    const [stored] = await db.select().from(ossHookEvents).where(eq(ossHookEvents.id, eventRowId)).for('update')
    const [hook] = await db.select().from(ossHooks).where(eq(ossHooks.id, stored!.hookId))
    if (stored!.result === DONE) return { isDone: true, message: '' }
    const outcome = await attempt(services, db, hook!, parseEvent(stored!.body)!, ip)
    await db
      .update(ossHookEvents)
      .set({ attempts: stored!.attempts + 1 })
      .where(eq(ossHookEvents.id, stored!.id))
    await finish(db, stored!.id, outcome, services.now())
    return outcome
  })
