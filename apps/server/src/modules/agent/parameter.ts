import { randomBytes } from 'node:crypto'
import { findParam, findParamError, PARAMS } from '@oms/contract/agent/parameters/param-list.ts'
import {
  type agentParams as calls,
  type ParamRow,
  agentParams as contract,
} from '@oms/contract/agent/parameters/params.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import { encrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { invalid, notFound, conflict } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import {
  assertMayChangeSharedRow,
  isTenantInScope,
  notDeleted,
  PLATFORM_TENANT_ID,
  transact,
} from '#core/tenancy/tenancy.ts'
import {
  PARAM_SECRET_OWNER_KIND,
  PREVIOUS_SECRET_CODE,
  SECRET_PARAMS,
  SERVER_SECRET_CODE,
  hashServerSecret,
} from './parameter-values.ts'
import { agentParams } from './schema/agent-device.ts'
import { agentSecrets } from './schema/agent-model.ts'
import { findChangedOrigin } from './secrets.ts'
import { findMcpEndpointProblem } from './voice-servers/mcp.ts'

const MASK = '••••••••'
/** Returns the record for the operation log. Its id contains the tenant, which limits who may read the entry. */
export const buildParamRecord = (tenantId: number, code: string) =>
  ({ bizType: 'agentParam', bizId: `${tenantId}:${code}` }) as const

/** Returns the tenant whose parameters are requested, by default the tenant of the session. */
export async function resolveParameterTenant(db: Db, user: User, asked: number | undefined) {
  const tenantId = asked ?? user.tenantId
  if (tenantId === null || !isTenantInScope(user, tenantId)) throw notFound('客户')
  const [tenant] = await db
    .select({ tenantId: tenants.id, tenantName: tenants.name })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), notDeleted(tenants)))
  if (!tenant) throw notFound('客户')
  return tenant
}

/**
 * Returns the tenant whose parameters are changed or revealed. Parameters of the platform apply to all tenants.
 * Therefore only accounts whose data scope contains all tenants may change or reveal them.
 */
export async function resolveTenantForChange(db: Db, user: User, asked: number | undefined) {
  const tenant = await resolveParameterTenant(db, user, asked)
  assertMayChangeSharedRow(user, tenant.tenantId)
  return tenant
}

interface Own {
  readonly value: string
  readonly remark: string
  readonly updateTime: string
  readonly rev: number
}

/** Returns the own values of a tenant by code. Secrets are masked. */
async function ownValues(db: Db, tenantId: number): Promise<Map<string, Own>> {
  const rows = await db.select().from(agentParams).where(eq(agentParams.tenantId, tenantId))
  const own = new Map(
    rows.map(({ code, value, remark, updateTime, rev }) => [code, { value, remark, updateTime, rev }]),
  )
  const secrets = await db
    .select({ field: agentSecrets.field, lastFour: agentSecrets.lastFour, updateTime: agentSecrets.updateTime })
    .from(agentSecrets)
    .where(
      and(
        eq(agentSecrets.ownerKind, PARAM_SECRET_OWNER_KIND),
        eq(agentSecrets.ownerId, tenantId),
        inArray(agentSecrets.field, [...SECRET_PARAMS]),
      ),
    )
  for (const code of SECRET_PARAMS) {
    const secret = secrets.find(({ field }) => field === code)
    const row = own.get(code)
    if (secret)
      own.set(code, { remark: '', updateTime: secret.updateTime, rev: 0, ...row, value: MASK + secret.lastFour })
    else own.delete(code)
  }
  return own
}

/** Returns the value of the platform as a tenant may see it. */
const platformValue = (texts: (code: string) => string, code: string) => {
  const text = texts(code)
  return SECRET_PARAMS.includes(code) ? (text === '' ? '' : MASK) : text
}

export async function getParameters(ctx: Ctx, { tenantId: asked }: ParsedOf<typeof calls.get>) {
  const { db, user, services } = ctx
  const { tenantId, tenantName } = await resolveParameterTenant(db, user, asked)
  const platform = await services.agentParameters.of(PLATFORM_TENANT_ID)
  const own = await ownValues(db, tenantId)
  const isPlatform = tenantId === PLATFORM_TENANT_ID
  const list = PARAMS.map(({ code, title, value: standard }): ParamRow => {
    const mine = own.get(code)
    const inherited = platformValue(platform.text, code)
    const isInherited = !isPlatform && inherited !== standard
    return {
      code,
      title,
      value: mine?.value ?? (isPlatform ? standard : inherited),
      source: mine ? 1 : isInherited ? 2 : 3,
      platformValue: isPlatform ? null : inherited,
      remark: mine?.remark ?? '',
      updateTime: mine?.updateTime ?? null,
      rev: mine?.rev ?? 0,
    }
  })
  return { tenantId, tenantName, isPlatform, previousSecretUntil: await previousUntil(db, tenantId), list }
}

async function previousUntil(db: Db, tenantId: number) {
  const [found] = await db
    .select({ until: agentSecrets.validUntil })
    .from(agentSecrets)
    .where(
      and(
        eq(agentSecrets.ownerKind, PARAM_SECRET_OWNER_KIND),
        eq(agentSecrets.ownerId, tenantId),
        eq(agentSecrets.field, PREVIOUS_SECRET_CODE),
        gt(agentSecrets.validUntil, sql`now()`),
      ),
    )
  return found?.until ?? null
}

/** Clears the cache of this process before the response, so that the account reads its own change. */
const forgetValues = (ctx: Ctx) => ctx.afterCommit(() => ctx.services.agentParameters.forget())

type Tenant = Awaited<ReturnType<typeof resolveParameterTenant>>
const audited = (ctx: Ctx, { tenantId, tenantName }: Tenant, code: string, verb: string) =>
  ctx.audit({ ...buildParamRecord(tenantId, code), action: `${verb}「${tenantName}」的参数 ${code}` })

/** Throws when a tenant would change a parameter that the platform decides, such as the limit of sold packages. */
function assertMayChange({ isPlatform }: User, code: string) {
  if (findParam(code)?.isPlatformOnly && !isPlatform) throw invalid('该参数由平台设置', 'value')
}

/** Throws when a new MCP end point cannot be reached. An unchanged value of the tenant is not checked again. */
async function assertMcpEndpoint(
  { db, services }: Ctx,
  tenantId: number,
  { code, value }: Pick<ParsedOf<typeof calls.update>, 'code' | 'value'>,
) {
  if (code !== 'server.mcp_endpoint' || value === '') return
  // The value is stored encrypted. A tenant without a value of its own would inherit that of the platform.
  const before = (await services.agentParameters.of(tenantId)).text(code)
  if (before === value && (await ownValues(db, tenantId)).has(code)) return
  const problem = await findMcpEndpointProblem(services.config, tenantId, value)
  if (problem) throw invalid(problem, 'value')
}

export async function updateParameters(ctx: Ctx, { tenantId: asked, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, services } = ctx
  const { tenantId, tenantName } = await resolveTenantForChange(db, user, asked)
  const { code, value } = input
  assertMayChange(user, code)
  const error = findParamError(code, value)
  if (error) throw invalid(error, 'value')
  await assertSecretReceiver(ctx, tenantId, input)
  await assertMcpEndpoint(ctx, tenantId, input)
  const [stored] = await db
    .select()
    .from(agentParams)
    .where(and(eq(agentParams.tenantId, tenantId), eq(agentParams.code, code)))
    .for('update')
  if (stored) await checkRevision(db, stored, rev)
  const saved = await writeParameter(db, services, { tenantId, uid: user.uid }, input)
  forgetValues(ctx)
  const isHidden = SECRET_PARAMS.includes(code)
  ctx.audit({
    ...buildParamRecord(tenantId, code),
    action: `修改「${tenantName}」的参数 ${code}`,
    ...(!isHidden && { diff: [{ field: 'value', title: '参数值', from: stored?.value ?? '', to: value }] }),
  })
  return { rev: saved }
}

export async function resetParameter(ctx: Ctx, { tenantId: asked, code }: ParsedOf<typeof calls.reset>) {
  const { db, user, services } = ctx
  const { tenantId, tenantName } = await resolveTenantForChange(db, user, asked)
  assertMayChange(user, code)
  if (code === SERVER_SECRET_CODE && tenantId === PLATFORM_TENANT_ID)
    throw invalid('平台的语音服务密钥只能更换', 'code')
  await deleteParameter(db, services, tenantId, code)
  forgetValues(ctx)
  audited(ctx, { tenantId, tenantName }, code, '恢复默认')
  return null
}

/**
 * Returns a secret in plain text. Uses its own transaction, because the request's transaction would store the response
 * for repeated calls.
 */
export async function revealParameter(ctx: Ctx, { tenantId: asked, code, reason }: ParsedOf<typeof calls.reveal>) {
  if (findParam(code)?.type !== 'secret') throw invalid('这个参数不是密钥', 'code')
  return transact(ctx, async (db) => {
    const { tenantId, tenantName } = await resolveTenantForChange(db, ctx.user, asked)
    // Reads the value first, because the first read in an installation creates the secret of the platform.
    const value = (await ctx.services.agentParameters.of(tenantId)).text(code)
    if (!(await ownValues(db, tenantId)).has(code)) throw notFound('密钥')
    ctx.audit({ ...buildParamRecord(tenantId, code), action: `查看「${tenantName}」的密钥 ${code}，原因：${reason}` })
    return { value }
  })
}

export async function renewSecret(ctx: Ctx, { tenantId: asked }: ParsedOf<typeof calls.renewSecret>) {
  const { db, user, services } = ctx
  const { tenantId, tenantName } = await resolveTenantForChange(db, user, asked)
  const owner = { tenantId, uid: user.uid }
  await writeParameter(db, services, owner, { code: SERVER_SECRET_CODE, value: createServerSecret(), remark: '' })
  forgetValues(ctx)
  audited(ctx, { tenantId, tenantName }, SERVER_SECRET_CODE, '更换')
  return null
}

export async function endPreviousSecret(ctx: Ctx, { tenantId: asked }: ParsedOf<typeof calls.endPreviousSecret>) {
  const { db, user, services } = ctx
  const { tenantId, tenantName } = await resolveTenantForChange(db, user, asked)
  if (!(await deletePreviousSecret(db, services, tenantId))) throw notFound('旧密钥')
  forgetValues(ctx)
  audited(ctx, { tenantId, tenantName }, SERVER_SECRET_CODE, '停用旧密钥')
  return null
}

/** Days for which a replaced secret of the voice server stays valid. */
const PREVIOUS_DAYS = 7
const SHOWN_FROM = 12

interface Owner {
  readonly tenantId: number
  readonly uid: number
}

const secretOf = (tenantId: number, field: string) =>
  and(
    eq(agentSecrets.ownerKind, PARAM_SECRET_OWNER_KIND),
    eq(agentSecrets.ownerId, tenantId),
    eq(agentSecrets.field, field),
  )

/**
 * Stores a tenant's value of a parameter. A secret is stored encrypted in `agent_secrets`, and the column `value` stays
 * empty.
 */
async function writeParameter(
  db: Db,
  services: Services,
  { tenantId, uid }: Owner,
  { code, value, remark }: { readonly code: string; readonly value: string; readonly remark: string },
) {
  const isSecret = SECRET_PARAMS.includes(code)
  const row = { value: isSecret ? '' : value, remark, updateBy: uid, updateTime: sql`now()` as unknown as string }
  const [saved] = await db
    .insert(agentParams)
    .values({ tenantId, code, ...row, createBy: uid, rev: 1 })
    .onConflictDoUpdate({
      target: [agentParams.tenantId, agentParams.code],
      set: { ...row, rev: sql`${agentParams.rev} + 1` },
    })
    .returning({ rev: agentParams.rev })
  if (isSecret) await writeSecret(db, services, { tenantId, uid }, { code, value })
  await publishParameters(db, services)
  return saved!.rev
}

async function writeSecret(
  db: Db,
  { config }: Services,
  { tenantId, uid }: Owner,
  { code, value }: { readonly code: string; readonly value: string },
) {
  const isServerSecret = code === SERVER_SECRET_CODE
  if (isServerSecret) await keepPrevious(db, tenantId)
  else await db.delete(agentSecrets).where(secretOf(tenantId, code))
  if (value === '') return
  await db.insert(agentSecrets).values({
    ownerKind: PARAM_SECRET_OWNER_KIND,
    ownerId: tenantId,
    field: code,
    tenantId,
    encrypted: encrypt(config.secretKey, value),
    lastFour: value.length >= SHOWN_FROM ? value.slice(-4) : '',
    valueHash: isServerSecret ? hashServerSecret(value) : null,
    updateBy: uid,
  })
}

/**
 * Keeps the current secret of the voice server valid for some days. Throws while an earlier replaced secret is valid,
 * because a second change would end the secret that running voice servers use.
 */
async function keepPrevious(db: Db, tenantId: number) {
  const isValid = gt(agentSecrets.validUntil, sql`now()`)
  const replaced = and(secretOf(tenantId, PREVIOUS_SECRET_CODE), isValid)
  if ((await db.$count(agentSecrets, replaced)) > 0) throw conflict('上次更换前的旧密钥仍然有效，请先停用旧密钥再更换')
  await db.delete(agentSecrets).where(secretOf(tenantId, PREVIOUS_SECRET_CODE))
  await db
    .update(agentSecrets)
    .set({
      field: PREVIOUS_SECRET_CODE,
      validUntil: sql`now() + make_interval(days => ${PREVIOUS_DAYS})` as unknown as string,
    })
    .where(secretOf(tenantId, SERVER_SECRET_CODE))
}

/** Deletes the own value of a tenant. */
async function deleteParameter(db: Db, services: Services, tenantId: number, code: string) {
  await db.delete(agentParams).where(and(eq(agentParams.tenantId, tenantId), eq(agentParams.code, code)))
  await db.delete(agentSecrets).where(secretOf(tenantId, code))
  if (code === SERVER_SECRET_CODE) await db.delete(agentSecrets).where(secretOf(tenantId, PREVIOUS_SECRET_CODE))
  await publishParameters(db, services)
}

/** Ends the replaced secret of the voice server. Returns false when there is none. */
async function deletePreviousSecret(db: Db, services: Services, tenantId: number): Promise<boolean> {
  const { rowCount } = await db.delete(agentSecrets).where(secretOf(tenantId, PREVIOUS_SECRET_CODE))
  await publishParameters(db, services)
  return rowCount === 1
}

/** Empties the caches of all processes at the commit. */
async function publishParameters(db: Db, services: Services) {
  await services.events.publish(db, 'agentParams', {})
}

/** Returns a new random secret for a voice server. */
const createServerSecret = () => randomBytes(32).toString('base64url')

/** Addresses to which OMS sends a stored secret, with the secret and its Chinese name. */
const SENT_TO: Readonly<Record<string, readonly [code: string, name: string]>> = {
  'server.websocket': [SERVER_SECRET_CODE, '语音服务密钥'],
  'server.mqtt_manager_api': ['server.mqtt_signature_key', 'MQTT 网关签名密钥'],
}

/**
 * Refuses a new host that would receive the stored secret of a tenant, unless the account may read the secret anyway.
 */
async function assertSecretReceiver(
  { db, user, services }: Ctx,
  tenantId: number,
  { code, value }: { readonly code: string; readonly value: string },
) {
  const [secret, name] = SENT_TO[code] ?? []
  if (secret === undefined || value === '' || user.can(contract.reveal.access)) return
  const before = (await services.agentParameters.of(tenantId)).text(code)
  if (findChangedOrigin({ host: before }, { host: value }) === undefined) return
  const isStored = and(
    eq(agentSecrets.ownerKind, PARAM_SECRET_OWNER_KIND),
    eq(agentSecrets.ownerId, tenantId),
    eq(agentSecrets.field, secret),
  )
  if ((await db.$count(agentSecrets, isStored)) > 0)
    throw invalid(`新的地址会收到已保存的${name}（${secret}），请由有“查看密钥”权限的账号修改`, 'value')
}
