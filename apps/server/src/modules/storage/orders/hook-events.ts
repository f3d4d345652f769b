import { createHmac, timingSafeEqual } from 'node:crypto'
import { SIGNATURE_TOLERANCE_SECONDS } from '@oms/contract/core/signature.ts'
import { MAX_EVENT_BYTES, HookEvent } from '@oms/contract/storage/hook-event.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { runAsActor } from '#core/auth/system-actor.ts'
import { decrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { HttpError, ApiError } from '#core/http/api-error.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import type { Services } from '#core/services.ts'
import { ossHooks, ossHookEvents } from '../schema-sales.ts'
import { applyOrderEvent } from './order-event.ts'
import { type Webhook, createWebhookActor } from './order-record.ts'

/** Factor for the limit by address: all events of a shop come from few addresses. */
const ADDRESS_FACTOR = 4
const DONE = 1
const REFUSED = 2
const SIGNATURE_HEADER = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64}){1,5})$/

async function hookOf({ database }: Services, id: string): Promise<Webhook | undefined> {
  if (!/^\d{1,9}$/.test(id)) return undefined
  const [hook] = await database.db
    .select()
    .from(ossHooks)
    .where(and(eq(ossHooks.id, Number(id)), eq(ossHooks.status, 1)))
  return hook
}

const secretsOf = ({ config }: Services, { secretEncrypted, previousEncrypted }: Webhook) =>
  [secretEncrypted, previousEncrypted].filter(Boolean).map((encrypted) => decrypt(config.secretKey, encrypted))

const send = (reply: FastifyReply, status: number, msg: string) =>
  reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ code: status, msg, data: null }))

/** Processes few events at once: a burst of a shop must not take the database connections of the console. */
const limitEvents = limitConcurrency(4, 1000, () => new Error('too many events wait'))

async function receive(services: Services, request: FastifyRequest, reply: FastifyReply) {
  services.rate.take(`hook:${request.clientAddress}`, services.config.rate.api * ADDRESS_FACTOR)
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const hook = await hookOf(services, (request.params as { hookId: string }).hookId)
  const header = request.headers['x-oms-signature']
  const isSigned =
    hook !== undefined &&
    isSignedBy(secretsOf(services, hook), typeof header === 'string' ? header : undefined, body, services.now())
  if (!isSigned) return send(reply, 401, '签名不正确或已过期')
  const text = body.toString('utf8')
  const event = parseEvent(text)
  if (!event || text.includes('\u0000') || text.includes(String.raw`\u0000`))
    return send(reply, 400, '请求内容格式不正确')
  const { isDone, message } = await limitEvents(() => receiveEvent(services, hook, event, text, request.clientAddress))
  return send(reply, isDone ? 200 : 409, message || 'ok')
}

/**
 * Serves `POST /api/v1/oss/hook/:hookId` outside the middleware of the console: the signature covers the raw body, and
 * shops have no session. Every failure of the server is 503, so that the shop sends the event again.
 */
export function serveStorageHook(app: FastifyInstance, services: Services) {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_EVENT_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    scope.post('/api/v1/oss/hook/:hookId', { bodyLimit: MAX_EVENT_BYTES }, async (request, reply) =>
      receive(services, request, reply).catch((error: unknown) => {
        if (error instanceof HttpError) throw error
        request.log.error({ err: error }, 'storage hook')
        return send(reply, 503, '服务暂时不可用，请重试')
      }),
    )
  })
}

const ENTRY = { name: 'receive', method: 'POST', path: '/api/v1/oss/hook/:hookId', title: '商城订单回调' } as const

/** Outcome of an event: HTTP 200 or 409. */
interface HookOutcome {
  readonly isDone: boolean
  readonly message: string
}

/** Parses the body of an event; undefined when it is unreadable. */
function parseEvent(body: string): HookEvent | undefined {
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

const signatureOf = (secret: string, time: string, body: Buffer) =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest()

/**
 * Returns whether one of the secrets signed the body: header `t=<unix seconds>,v1=<hex of HMAC-SHA256>` over
 * `<t>.<body>`. All combinations are compared in constant time.
 */
function isSignedBy(secrets: readonly string[], header: string | undefined, body: Buffer, now: Date): boolean {
  const [, time, list] = SIGNATURE_HEADER.exec(header ?? '') ?? []
  if (time === undefined || list === undefined) return false
  const isOnTime = Math.abs(Math.floor(now.getTime() / 1000) - Number(time)) <= SIGNATURE_TOLERANCE_SECONDS
  const given = [...list.matchAll(/v1=([0-9a-f]{64})/g)].map(([, hex]) => Buffer.from(hex!, 'hex'))
  const matches = secrets.flatMap((secret) => {
    const expected = signatureOf(secret, time, body)
    return given.map((each) => timingSafeEqual(each, expected))
  })
  return isOnTime && matches.includes(true)
}
