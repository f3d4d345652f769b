import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type storageHooks as calls, HookChange } from '@oms/contract/storage/hook.ts'
import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import { encrypt, createSecret } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { contains, paginate, within } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { PLATFORM_TENANT_ID, scoped, transact, assertMayChangeSharedRow } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { publishEntitlementsChanged } from '../queue-store.ts'
import { ossHookEvents, ossHooks } from '../schema-sales.ts'
import { replayEvent } from './hook-events.ts'
import { buildEventInScopeCondition } from './order.ts'

/** Prefix of the secrets of webhooks. */
const HOOK_SECRET = 'whsec_'

const KIND = 'storageHook'
const TITLES = readFieldTitles(HookChange.shape)

const visible = (user: User) => scoped(user, { tenant: ossHooks.tenantId, creator: ossHooks.createBy })
const visibleEvents = (user: User) =>
  and(scoped(user, { tenant: ossHookEvents.tenantId }), buildEventInScopeCondition(user))

const eventsOfHook = (user: User) => and(eq(ossHookEvents.hookId, ossHooks.id), visibleEvents(user))

const select = (db: Db, user: User) =>
  db
    .select({
      id: ossHooks.id,
      isShared: sql<boolean>`${ossHooks.tenantId} = ${PLATFORM_TENANT_ID}`.as('is_shared'),
      tenantId: ossHooks.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      hookName: ossHooks.hookName,
      priceFree: ossHooks.priceFree,
      status: ossHooks.status,
      rotateTime: ossHooks.rotateTime,
      lastEventTime: sql<string | null>`(select left(${ossHookEvents.createTime}::text, 19) from ${ossHookEvents}
        where ${eventsOfHook(user)} order by ${ossHookEvents.id} desc limit 1)`.as('last_event_time'),
      refusedEvents: sql<number>`(select count(*)::int from ${ossHookEvents}
        where ${eventsOfHook(user)} and ${ossHookEvents.result} = 2)`.as('refused_events'),
      remark: ossHooks.remark,
      createTime: ossHooks.createTime,
      rev: ossHooks.rev,
    })
    .from(ossHooks)
    .leftJoin(tenants, eq(tenants.id, ossHooks.tenantId))

export function listHooks({ db, user }: Ctx, { hookName, status, ...page }: ParsedOf<typeof calls.list>) {
  const rows = select(db, user).where(
    and(
      visible(user),
      contains(ossHooks.hookName, hookName),
      status === undefined ? undefined : eq(ossHooks.status, status),
    ),
  )
  return paginate(db, rows.$dynamic(), page, [desc(ossHooks.id)])
}

export async function getHook({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await select(db, user).where(and(eq(ossHooks.id, id), visible(user)))
  if (!found) throw notFound('订单回调')
  return found
}

/**
 * Throws for staff of a tenant, because a person who knows the secret of a webhook can sign a paid order. Staff of a
 * tenant may open packages only out of its allowance.
 */
function assertVendor({ user }: Ctx) {
  if (!user.isPlatform) throw refused('订单回调由厂商维护，请联系厂商')
}

/** Creates a webhook with a secret, which is returned only here. */
export async function createHook(ctx: Ctx, { tenantId, ...input }: ParsedOf<typeof calls.create>) {
  const { db, user, now, services } = ctx
  assertVendor(ctx)
  const tenant = await resolveOwningTenant(ctx, tenantId, 'tenantId')
  assertMayChangeSharedRow(user, tenant.id)
  const secret = createSecret(HOOK_SECRET)
  const at = now.toISOString()
  const [made] = await db
    .insert(ossHooks)
    .values({
      ...input,
      tenantId: tenant.id,
      secretEncrypted: encrypt(services.config.secretKey, secret),
      rotateTime: at,
      createBy: user.uid,
      updateBy: user.uid,
      createTime: at,
      updateTime: at,
    })
    .returning({ id: ossHooks.id })
  const id = made!.id
  const diff = listChanges({}, input, TITLES)
  ctx.audit({ bizType: KIND, bizId: id, action: `新增订单回调「${input.hookName}」`, diff })
  await publishEntitlementsChanged(ctx)
  return { id, secret }
}

async function lockHook(ctx: Ctx, id: number) {
  assertVendor(ctx)
  const { db, user } = ctx
  const [stored] = await db
    .select(getTableColumns(ossHooks))
    .from(ossHooks)
    .where(and(eq(ossHooks.id, id), visible(user)))
    .for('update')
  if (!stored) throw notFound('订单回调')
  assertMayChangeSharedRow(user, stored.tenantId)
  return stored
}

export async function updateHook(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await lockHook(ctx, id)
  await checkRevision(db, stored, rev)
  const diff = listChanges(stored, input, TITLES)
  if (diff.length === 0) return { rev: stored.rev }
  const next = updateColumns(stored, user.uid, now)
  await db
    .update(ossHooks)
    .set({ ...input, ...next })
    .where(eq(ossHooks.id, id))
  ctx.audit({ bizType: KIND, bizId: id, action: `修改订单回调「${stored.hookName}」`, diff })
  await publishEntitlementsChanged(ctx)
  return { rev: next.rev }
}

/** Replaces the secret. The secret before it stays valid until the next rotation. */
export async function rotateHookSecret(ctx: Ctx, { id }: ParsedOf<typeof calls.rotate>) {
  const { db, user, now, services } = ctx
  const stored = await lockHook(ctx, id)
  const secret = createSecret(HOOK_SECRET)
  const encrypted = {
    secretEncrypted: encrypt(services.config.secretKey, secret),
    previousEncrypted: stored.secretEncrypted,
  }
  await db
    .update(ossHooks)
    .set({ ...encrypted, rotateTime: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(ossHooks.id, id))
  ctx.audit({ bizType: KIND, bizId: id, action: `更换订单回调「${stored.hookName}」的密钥` })
  await publishEntitlementsChanged(ctx)
  return { id, secret }
}

const selectEvents = (db: Db) =>
  db
    .select({
      ...getTableColumns(ossHookEvents),
      hookName: sql<string>`coalesce(${ossHooks.hookName}, '')`.as('hook_name'),
    })
    .from(ossHookEvents)
    .leftJoin(ossHooks, eq(ossHooks.id, ossHookEvents.hookId))

export function listEvents({ db, user }: Ctx, input: ParsedOf<typeof calls.events>) {
  const { hookId, outOrderNo, eventId, result, beginTime, endTime, ...page } = input
  const rows = selectEvents(db).where(
    and(
      visibleEvents(user),
      hookId === undefined ? undefined : eq(ossHookEvents.hookId, hookId),
      result === undefined ? undefined : eq(ossHookEvents.result, result),
      contains(ossHookEvents.outOrderNo, outOrderNo),
      contains(ossHookEvents.eventId, eventId),
      ...within(ossHookEvents.createTime, beginTime, endTime),
    ),
  )
  return paginate(db, rows.$dynamic(), page, [desc(ossHookEvents.id)])
}

export async function getEvent({ db, user }: Ctx, { id }: ParsedOf<typeof calls.event>) {
  const [found] = await selectEvents(db).where(and(eq(ossHookEvents.id, id), visibleEvents(user)))
  if (!found) throw notFound('回调记录')
  return found
}

/** Processes a refused event again, as the shop. Runs outside the transaction of the call, which tenants restrict. */
export async function replayHookEvent(ctx: Ctx, { id }: ParsedOf<typeof calls.replay>) {
  const event = await transact(ctx, (db) => getEvent({ ...ctx, db }, { id }))
  const { isDone, message } = await replayEvent(ctx.services, id, ctx.request.ip)
  if (!isDone) throw conflict(message)
  ctx.audit({ bizType: KIND, bizId: event.hookId, action: `重放回调 ${event.eventId}（订单 ${event.outOrderNo}）` })
  return null
}
