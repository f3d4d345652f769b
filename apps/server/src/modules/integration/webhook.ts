import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  type webhooks as calls,
  webhooks as contract,
  DELIVERY_STATE_CODE,
  ENDPOINT_STATE_CODE,
  type EndpointKind,
  findAddressProblem,
  MAX_ENDPOINTS,
  TEST_EVENT,
} from '@oms/contract/integration/webhook.ts'
import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { decrypt, encrypt } from '#core/crypto/keys.ts'
import { contains, paginate } from '#core/database/lists/list-query.ts'
import { defineRecord, visibleRecords } from '#core/database/record.ts'
import { forbidden, invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { assertMayChangeSharedRow, scoped, transact, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { createEventId } from './outbox.ts'
import { webhookDeliveries, webhookEndpoints } from './schema.ts'
import { SENT_ENDPOINT, sendToEndpoint } from './sender.ts'
import { createWebhookSecret } from './wire.ts'

const record = defineRecord({
  calls: contract,
  table: webhookEndpoints,
  kind: 'webhook',
  noun: '消息推送',
  nameOf: ({ name }) => name,
  isSharedByPlatform: true,
  titles: { address: '接收地址', state: '状态' },
})

const visible = (user: User) => visibleRecords({ table: webhookEndpoints }, user)

const selectEndpoints = ({ db }: Ctx) => {
  const {
    urlEncrypted: _url,
    secretEncrypted: _secret,
    formerEncrypted: _former,
    ...columns
  } = getTableColumns(webhookEndpoints)
  return db
    .select({
      ...columns,
      hasSecret: sql<boolean>`${webhookEndpoints.secretEncrypted} <> ''`,
      waiting: sql<number>`(select count(*)::int from webhook_deliveries d
        where d.endpoint_id = ${webhookEndpoints.id} and d.state = ${DELIVERY_STATE_CODE.waiting})`.as('waiting'),
    })
    .from(webhookEndpoints)
}

export function listEndpoints(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { name, kind, state } = input
  const rows = selectEndpoints(ctx)
    .where(
      and(
        visible(ctx.user),
        contains(webhookEndpoints.name, name),
        kind && eq(webhookEndpoints.kind, kind),
        state === undefined ? undefined : eq(webhookEndpoints.state, state),
      ),
    )
    .$dynamic()
  return paginate(ctx.db, rows, input, [desc(webhookEndpoints.id)])
}

export async function getEndpoint(ctx: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await selectEndpoints(ctx).where(and(eq(webhookEndpoints.id, id), visible(ctx.user)))
  if (!found) throw notFound('消息推送')
  return found
}

/** Returns an address for lists: the key of a robot and query parameters are hidden. */
function maskAddress(kind: EndpointKind, url: string) {
  const { origin, pathname, search } = new URL(url)
  const path = kind === 'feishu' ? `${pathname.slice(0, pathname.lastIndexOf('/') + 1)}…` : pathname
  return `${origin}${path}${search && '?…'}`.slice(0, 300)
}

const addressColumns = ({ services }: Ctx, kind: EndpointKind, url: string) => ({
  urlEncrypted: encrypt(services.config.secretKey, url),
  address: maskAddress(kind, url),
})

/** WeCom robots have no signature. */
function assertSecretFits(kind: EndpointKind, secret: string) {
  if (secret !== '' && kind !== 'dingtalk' && kind !== 'feishu') throw invalid('该类型没有加签密钥', 'secret')
}

export async function createEndpoint(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { db, user, services } = ctx
  const { tenantId } = user
  if (tenantId === null) throw forbidden()
  const { kind, name, events, url } = input
  assertSecretFits(kind, input.secret)
  // Simultaneous calls of one tenant wait, so that they do not exceed the limit.
  await db.execute(sql`select pg_advisory_xact_lock(hashtext('webhook endpoints'), ${tenantId})`)
  const count = await db.$count(
    webhookEndpoints,
    and(eq(webhookEndpoints.tenantId, tenantId), sql`${webhookEndpoints.deletedAt} is null`),
  )
  if (count >= MAX_ENDPOINTS) throw refused(`消息推送不能超过${MAX_ENDPOINTS}个，请先删除不用的`)
  const secret = kind === 'webhook' ? createWebhookSecret() : input.secret
  const { id } = await record.insert(ctx, {
    tenantId,
    name,
    kind,
    events: [...new Set(events)],
    ...addressColumns(ctx, kind, url),
    secretEncrypted: secret && encrypt(services.config.secretKey, secret),
  })
  return { id, secret: kind === 'webhook' ? secret : '' }
}

export async function updateEndpoint(ctx: Ctx, input: ParsedOf<typeof calls.update>) {
  const { id, rev, name, events, url = '', secret = '' } = input
  const stored = await record.lock(ctx, id)
  assertSecretFits(stored.kind, secret)
  const problem = url === '' ? undefined : findAddressProblem(stored.kind, url)
  if (problem) throw invalid(problem, 'url')
  const key = ctx.services.config.secretKey
  const isSameUrl = url === '' || url === decrypt(key, stored.urlEncrypted)
  const isSameSecret = secret === '' || (stored.secretEncrypted && secret === decrypt(key, stored.secretEncrypted))
  return record.save(ctx, stored, rev, {
    name,
    events: [...new Set(events)],
    ...(!isSameUrl && addressColumns(ctx, stored.kind, url)),
    ...(!isSameSecret && { secretEncrypted: encrypt(key, secret) }),
  })
}

export async function removeEndpoint(ctx: Ctx, input: ParsedOf<typeof calls.remove>) {
  await record.remove(ctx, input)
  await ctx.db.delete(webhookDeliveries).where(eq(webhookDeliveries.endpointId, input.id))
  return null
}

async function setState(ctx: Ctx, id: number, state: number, verb: string) {
  const stored = await record.lock(ctx, id)
  ctx.audit({ bizType: 'webhook', bizId: id, action: `${verb}消息推送「${stored.name}」` })
  if (stored.state === state) return null
  await record.save(ctx, stored, undefined, { state, stateReason: '', failures: 0, failedSince: null })
  ctx.audit({ action: `${verb}消息推送「${stored.name}」` })
  await ctx.services.events.publish(ctx.db, 'outbox', {})
  return null
}

export const pauseEndpoint = (ctx: Ctx, { id }: ParsedOf<typeof calls.pause>) =>
  setState(ctx, id, ENDPOINT_STATE_CODE.paused, '暂停')
export const resumeEndpoint = (ctx: Ctx, { id }: ParsedOf<typeof calls.resume>) =>
  setState(ctx, id, ENDPOINT_STATE_CODE.active, '恢复')

export async function rotateEndpointSecret(ctx: Ctx, { id }: ParsedOf<typeof calls.rotate>) {
  const stored = await record.lock(ctx, id)
  if (stored.kind !== 'webhook') throw refused('机器人的加签密钥由其平台生成，请在编辑中修改')
  const secret = createWebhookSecret()
  await ctx.db
    .update(webhookEndpoints)
    .set({
      secretEncrypted: encrypt(ctx.services.config.secretKey, secret),
      formerEncrypted: stored.secretEncrypted,
      formerUntil: sql`now() + interval '24 hours'` as never,
    })
    .where(eq(webhookEndpoints.id, id))
  ctx.audit({ bizType: 'webhook', bizId: id, action: `更换消息推送「${stored.name}」的密钥，旧密钥 24 小时后失效` })
  return { id, secret }
}

/** Sends a test message outside a transaction, and keeps the attempt among the deliveries. */
export async function testEndpoint(ctx: Ctx, { id }: ParsedOf<typeof calls.test>) {
  const { services, user } = ctx
  const endpoint = await transact(ctx, async (db) => {
    const [found] = await db
      .select(SENT_ENDPOINT)
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.id, id), visible(user)))
    if (!found) throw notFound('消息推送')
    assertMayChangeSharedRow(user, found.tenantId)
    return found
  })
  const { tenantId, name } = endpoint
  const [eventId, startedAt] = [createEventId(), performance.now()]
  const data = { message: 'OMS 测试消息' }
  const body = JSON.stringify({ type: TEST_EVENT, timestamp: new Date().toISOString(), seq: 0, tenantId, data })
  const outcome = await sendToEndpoint(services, endpoint, { eventId, body })
  const { result, httpStatus, answer } = outcome ?? { result: 'retry', httpStatus: null, answer: '已取消' }
  const isDone = result === 'done'
  ctx.audit({ bizType: 'webhook', bizId: id, action: `测试消息推送「${name}」：${isDone ? '成功' : '失败'}` })
  await transactWithOperationLog(ctx, (db) =>
    db.insert(webhookDeliveries).values({
      tenantId,
      eventTenantId: tenantId,
      endpointId: id,
      eventId,
      eventType: TEST_EVENT,
      body,
      state: isDone ? DELIVERY_STATE_CODE.done : DELIVERY_STATE_CODE.failed,
      attempts: 1,
      httpStatus,
      answer,
      nextTime: null,
      attemptTime: sql`now()` as never,
    }),
  )
  return { isDone, httpStatus, answer, milliseconds: Math.round(performance.now() - startedAt) }
}

/** Condition of deliveries: staff of the platform sees those of its tenants also on an endpoint of the platform. */
const visibleDeliveries = (user: User) => and(visible(user), scoped(user, { tenant: webhookDeliveries.eventTenantId }))

export function listDeliveries({ db, user }: Ctx, input: ParsedOf<typeof calls.deliveries>) {
  const rows = db
    .select(getTableColumns(webhookDeliveries))
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(
      and(
        visibleDeliveries(user),
        eq(webhookDeliveries.endpointId, input.endpointId),
        input.state === undefined ? undefined : eq(webhookDeliveries.state, input.state),
      ),
    )
    .$dynamic()
  return paginate(db, rows, input, [desc(webhookDeliveries.id)])
}

export async function resendDelivery(ctx: Ctx, { id }: ParsedOf<typeof calls.resend>) {
  const { db, user, services } = ctx
  const [found] = await db
    .select({ delivery: webhookDeliveries, endpoint: webhookEndpoints })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(and(eq(webhookDeliveries.id, id), visibleDeliveries(user)))
    .for('update', { of: webhookDeliveries })
  if (!found) throw notFound('推送记录')
  const { delivery, endpoint } = found
  assertMayChangeSharedRow(user, endpoint.tenantId)
  if (endpoint.state !== ENDPOINT_STATE_CODE.active) throw refused('消息推送已暂停或停用，请先恢复')
  await db
    .update(webhookDeliveries)
    .set({ state: DELIVERY_STATE_CODE.waiting, attempts: 0, nextTime: sql`now()` as never })
    .where(eq(webhookDeliveries.id, id))
  const action = `重新发送消息推送「${endpoint.name}」的消息 ${delivery.eventId}`
  ctx.audit({ bizType: 'webhook', bizId: endpoint.id, action })
  await services.events.publish(db, 'outbox', {})
  return null
}
