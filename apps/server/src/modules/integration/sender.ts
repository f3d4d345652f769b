import {
  DELIVERY_STATE_CODE,
  ENDPOINT_STATE_CODE,
  type EndpointKind,
  MAX_ANSWER,
} from '@oms/contract/integration/webhook.ts'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import { decrypt } from '#core/crypto/keys.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { OutboundError, type OutboundResponse, sendOutbound } from '#core/outbound/outbound.ts'
import type { CoreServices } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { listAccountsWithPermission } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { webhookDeliveries, webhookEndpoints } from './schema.ts'
import { buildRequest, judgeResponse, type Outcome } from './wire.ts'

declare module '#core/services.ts' {
  interface ServiceExtensions {
    readonly webhooks: WebhookSender
  }
}

type Parts = Pick<CoreServices, 'database' | 'events' | 'config' | 'log' | 'now'>

/** Selects an endpoint for sending. */
export const SENT_ENDPOINT = {
  ...getTableColumns(webhookEndpoints),
  isFormerValid: sql<boolean>`coalesce(${webhookEndpoints.formerUntil} > now(), false)`,
}
type Endpoint = typeof webhookEndpoints.$inferSelect & { readonly isFormerValid: boolean }

const LIMITS = { connectMs: 5000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000, maxBytes: 65_536 }
/** Bytes of a response that are read. */
const MAX_ANSWER_BYTES = 8192
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]
/** Delays between the attempts of a delivery. After the last one the delivery has failed. */
const WEBHOOK_DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)]
const ROBOT_DELAYS = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]
const DELAY_VARIATION = 0.2
const MAX_RETRY_AFTER_MS = 24 * HOUR
/** A process that dies during an attempt leaves the delivery to others after this time. */
const LEASE_SECONDS = 60
/** Failed attempts in a row that disable a robot, and days without a success that disable a webhook. */
const MAX_ROBOT_FAILURES = 10
const MAX_FAILED_DAYS = 5
/** Robots accept 20 messages a minute. */
const ROBOT_MESSAGES_PER_MINUTE = 17
/** Endpoints that receive at the same time. Failing endpoints have their own places, so that they delay no others. */
const PLACES = { healthy: 20, failing: 10 } as const
type Lane = keyof typeof PLACES
const MAX_WAIT_MS = 60_000

/** Creates the deliveries of new events. One statement: either all of them exist and the events are done, or none. */
const DISPATCH = sql`
  with taken as (select id from outbox_events where dispatch_time is null order by id limit 500 for update skip locked),
    new as (update outbox_events o set dispatch_time = now() from taken where o.id = taken.id returning o.*),
    made as (
      insert into webhook_deliveries (tenant_id, event_tenant_id, endpoint_id, event_id, event_type, body)
      select e.tenant_id, n.tenant_id, e.id, n.event_id, n.type, json_build_object('type', n.type,
        'timestamp', to_char(n.create_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'seq', n.id, 'tenantId', n.tenant_id, 'data', n.data)
      from new n join webhook_endpoints e on e.tenant_id in (n.tenant_id, ${PLATFORM_TENANT_ID})
        and e.state <> ${ENDPOINT_STATE_CODE.disabled} and e.deleted_at is null and n.type = any(e.events)
      on conflict do nothing)
  select count(*)::int as count from new`

interface Claimed {
  readonly id: number
  readonly endpointId: number
  readonly eventId: string
  readonly body: string
  readonly attempts: number
}

/**
 * Sends deliveries to their endpoints. All processes send: a delivery that is claimed belongs to one process for
 * `LEASE_SECONDS`, so that a killed process loses nothing.
 */
export class WebhookSender {
  readonly #parts: Parts
  readonly #stops: (() => void)[] = []
  /** Endpoints that receive now. */
  readonly #busy = new Map<number, Lane>()
  readonly #sends = new Set<Promise<void>>()
  #run: Promise<void> | undefined
  #isWoken = false
  #isClosed = false
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    const wake = () => this.wake()
    if (parts.config.role !== 'device')
      this.#stops.push(parts.events.on('outbox', wake), parts.events.onReconnect(wake))
  }

  /** Sends what is due, in the background. */
  wake() {
    this.#isWoken = true
    if (this.#isClosed) return
    this.#run ??= this.#work().finally(() => {
      this.#run = undefined
      if (this.#isWoken) this.wake()
    })
  }

  /** Sends what is due, and waits until nothing is. */
  async drain() {
    this.wake()
    while (this.#run || this.#sends.size > 0) await (this.#run ?? Promise.race(this.#sends))
  }

  async close() {
    this.#isClosed = true
    this.#stopping.abort()
    clearTimeout(this.#timer)
    for (const stop of this.#stops) stop()
    await this.#run
    await Promise.all(this.#sends)
  }

  async #work() {
    this.#isWoken = false
    clearTimeout(this.#timer)
    try {
      while ((await this.#count(DISPATCH)) > 0);
      await this.#fill('healthy')
      await this.#fill('failing')
      await this.#schedule()
    } catch (error) {
      if (!this.#isClosed) this.#parts.log.warn({ err: error }, 'webhooks are not sent, trying again in a minute')
    }
  }

  async #count(query: typeof DISPATCH) {
    const { rows } = await this.#parts.database.db.execute<{ count: number }>(query)
    return rows[0]?.count ?? 0
  }

  /** Claims due deliveries for the free places, at most two of one endpoint, and starts to send them. */
  async #fill(lane: Lane) {
    const free = PLACES[lane] - [...this.#busy.values()].filter((each) => each === lane).length
    if (free <= 0 || this.#isClosed) return
    const { rows } = await this.#parts.database.db.execute<Claimed & Record<string, unknown>>(sql`
      update webhook_deliveries d set attempts = attempts + 1, attempt_time = now(),
        next_time = now() + make_interval(secs => ${LEASE_SECONDS})
      from (select due.id from webhook_endpoints e cross join lateral (
          select w.id from webhook_deliveries w where w.endpoint_id = e.id and w.state = ${DELIVERY_STATE_CODE.waiting}
            and w.next_time <= now() order by w.next_time limit 2 for update skip locked) due
        where e.state = ${ENDPOINT_STATE_CODE.active} and e.deleted_at is null
          and e.failures ${lane === 'healthy' ? sql`= 0` : sql`> 0`}
          and e.id <> all(${sql.param([...this.#busy.keys()])}::int[])
          and (e.kind = 'webhook' or ${ROBOT_MESSAGES_PER_MINUTE} > (select count(*) from webhook_deliveries r
            where r.endpoint_id = e.id and r.attempt_time > now() - interval '1 minute'))
        limit ${free}) claimed
      where d.id = claimed.id
      returning d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.body, d.attempts`)
    for (const [endpointId, deliveries] of Map.groupBy(rows, (row) => row.endpointId)) {
      this.#busy.set(endpointId, lane)
      const sending = this.#sendAll(endpointId, deliveries).finally(() => {
        this.#busy.delete(endpointId)
        this.#sends.delete(sending)
        this.wake()
      })
      this.#sends.add(sending)
    }
  }

  async #sendAll(endpointId: number, deliveries: readonly Claimed[]) {
    const { database, log } = this.#parts
    try {
      const [endpoint] = await database.db
        .select(SENT_ENDPOINT)
        .from(webhookEndpoints)
        .where(eq(webhookEndpoints.id, endpointId))
      if (endpoint) await Promise.all(deliveries.map((each) => this.#deliver(endpoint, each)))
    } catch (error) {
      log.warn({ err: error, endpointId }, 'webhook deliveries are repeated later')
    }
  }

  async #deliver(endpoint: Endpoint, delivery: Claimed) {
    const outcome = await sendToEndpoint(this.#parts, endpoint, { ...delivery, signal: this.#stopping.signal })
    if (!outcome) return this.#release(delivery)
    await this.#parts.database.db.transaction(async (db) => {
      await db
        .update(webhookDeliveries)
        .set({
          httpStatus: outcome.httpStatus,
          answer: outcome.answer,
          ...planNext(endpoint.kind, outcome, delivery.attempts),
        })
        .where(eq(webhookDeliveries.id, delivery.id))
      if (outcome.result === 'done')
        await db
          .update(webhookEndpoints)
          .set({ failures: 0, failedSince: null, lastTime: sql`now()` as never })
          .where(eq(webhookEndpoints.id, endpoint.id))
      else await recordFailure(this.#parts, db, endpoint, outcome)
    })
  }

  /** Leaves a cancelled attempt to the next process. */
  async #release({ id }: Claimed) {
    await this.#parts.database.db.execute(
      sql`update webhook_deliveries set attempts = attempts - 1, next_time = now() where id = ${id}`,
    )
  }

  /** Wakes when the next delivery is due. */
  async #schedule() {
    const ms = await this.#count(sql`
      select ceil(least(extract(epoch from min(w.next_time) - now()), 86400) * 1000)::int as count
      from webhook_deliveries w join webhook_endpoints e on e.id = w.endpoint_id
      where w.state = ${DELIVERY_STATE_CODE.waiting} and e.state = ${ENDPOINT_STATE_CODE.active}
        and e.deleted_at is null and w.next_time > now()`)
    if (ms > 0 && !this.#isClosed) this.#timer = setTimeout(() => this.wake(), Math.min(ms, MAX_WAIT_MS)).unref()
  }
}

/** Returns what a delivery becomes after an attempt. */
function planNext(kind: EndpointKind, { result, retryAfterMs = 0 }: Outcome, attempts: number) {
  if (result === 'done') return { state: DELIVERY_STATE_CODE.done, nextTime: null }
  const delay = (kind === 'webhook' ? WEBHOOK_DELAYS : ROBOT_DELAYS)[attempts - 1]
  if (result !== 'retry' || delay === undefined) return { state: DELIVERY_STATE_CODE.failed, nextTime: null }
  const varied = delay * (1 + DELAY_VARIATION * (2 * Math.random() - 1))
  const seconds = Math.max(varied, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)) / SECOND
  return { state: DELIVERY_STATE_CODE.waiting, nextTime: sql`now() + make_interval(secs => ${seconds})` as never }
}

/** Counts a failure. Disables an endpoint that fails for too long, and tells who may correct it. */
async function recordFailure(parts: Parts, db: Parts['database']['db'], { id, kind }: Endpoint, outcome: Outcome) {
  const isLong =
    kind === 'webhook'
      ? sql`failed_since < now() - make_interval(days => ${MAX_FAILED_DAYS})`
      : sql`failures + 1 >= ${MAX_ROBOT_FAILURES}`
  const { rows } = await db.execute<
    { tenantId: number; name: string; isStopped: boolean } & Record<string, unknown>
  >(sql`
    update webhook_endpoints set failures = failures + 1, failed_since = coalesce(failed_since, now()),
      state = case when state = ${ENDPOINT_STATE_CODE.active} and (${outcome.result === 'gone'} or coalesce(${isLong}, false))
        then ${ENDPOINT_STATE_CODE.disabled} else state end
    where id = ${id} and deleted_at is null
    returning tenant_id as "tenantId", name, state = ${ENDPOINT_STATE_CODE.disabled} and state_reason = '' as "isStopped"`)
  const [row] = rows
  if (!row?.isStopped) return
  const reason =
    outcome.result === 'gone' ? '接收方返回 410，表示不再接收' : `连续推送失败：${outcome.answer}`.slice(0, 150)
  await db.update(webhookEndpoints).set({ stateReason: reason }).where(eq(webhookEndpoints.id, id))
  await sendMessage(parts, db, {
    topic: 'webhook',
    title: `Webhook「${row.name}」已停用`,
    text: `${reason}。请检查接收地址，然后在「消息推送」中恢复。停用期间的消息不会推送。`,
    uids: await listAccountsWithPermission(db, row.tenantId, 'system:webhooks:edit'),
    priority: 3,
  })
  await parts.events.publish(db, 'changed', { resource: 'sys', tenantId: row.tenantId })
}

interface Sent {
  readonly eventId: string
  readonly body: string
  readonly signal?: AbortSignal
}

/** Sends one message to an endpoint and judges the response. Returns undefined when the signal cancelled the attempt. */
export async function sendToEndpoint(
  { config, log }: Pick<Parts, 'config' | 'log'>,
  endpoint: Endpoint,
  { eventId, body, signal }: Sent,
): Promise<Outcome | undefined> {
  try {
    const { kind, tenantId } = endpoint
    const encrypted = [endpoint.secretEncrypted, endpoint.isFormerValid ? endpoint.formerEncrypted : ''].filter(Boolean)
    const secrets = encrypted.map((each) => decrypt(config.secretKey, each))
    const url = decrypt(config.secretKey, endpoint.urlEncrypted)
    const response = await sendOutbound({
      ...buildRequest({ kind, url, secrets, eventId, body }, new Date()),
      method: 'POST',
      policy: selectAddressPolicy(config, tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant'),
      limits: LIMITS,
      ...(signal && { signal }),
    })
    const seconds = Number(response.header('retry-after'))
    const outcome = judgeResponse(kind, response.status, await readAnswer(response))
    return {
      ...outcome,
      answer: outcome.answer.slice(0, MAX_ANSWER),
      ...(seconds > 0 && { retryAfterMs: seconds * SECOND }),
    }
  } catch (error) {
    const isOutbound = error instanceof OutboundError
    if (isOutbound && error.kind === 'cancelled') return undefined
    if (!isOutbound) log.error({ err: error, endpointId: endpoint.id }, 'webhook')
    return { result: 'retry', httpStatus: null, answer: isOutbound ? error.message : '系统内部错误' }
  }
}

/** Reads the begin of a response. What a receiver sends later, or does not send, changes nothing. */
async function readAnswer({ body, close }: OutboundResponse): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= MAX_ANSWER_BYTES) break
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
  } finally {
    close()
  }
  const text = Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString()
  // PostgreSQL cannot store NUL.
  return text.replaceAll('\u0000', '')
}
