import { createHash, randomInt } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  type deviceAccess as calls,
  DeviceAccessInput,
  STANDARD_POLL_SECONDS,
} from '@oms/contract/device/device-access.ts'
import { and, eq } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { assertSeesAllRecords, notDeleted, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { syncFleetAfterCommit } from './fleet/fleet.ts'
import { resolveGroupTenant } from './group.ts'
import { assertModelEnabled } from './model-choices.ts'
import { deviceAccess, deviceModels } from './schema.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const TOKEN_LENGTH = 32
const newToken = () => Array.from({ length: TOKEN_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
const ON_OFF = { 1: '启用', 0: '停用' } as const
// Different titles, because a field named token would be masked, and these fields contain only on or off.
const TITLES = {
  target: '设备令牌',
  gateway: '网关令牌',
  autoModelName: '自动登记型号',
  pollSeconds: String(DeviceAccessInput.shape.pollSeconds.meta()?.title),
}
const STANDARD = {
  targetToken: 1,
  gatewayToken: 0,
  gatewayTokenHash: null,
  autoModelId: null,
  pollSeconds: STANDARD_POLL_SECONDS,
  updateBy: null,
  updateTime: '',
  rev: 0,
}

async function tenantFor(db: Db, user: User, asked: number | undefined) {
  const [tenant] = await db
    .select({ tenantId: tenants.id, tenantName: tenants.name, tenantNo: tenants.tenantNo })
    .from(tenants)
    .where(and(eq(tenants.id, resolveGroupTenant(user, asked)), notDeleted(tenants)))
  if (!tenant) throw notFound('客户')
  return tenant
}

async function modelNameOf(db: Db, id: number | null) {
  if (id === null) return ''
  const [model] = await db.select({ name: deviceModels.modelName }).from(deviceModels).where(eq(deviceModels.id, id))
  return model?.name ?? ''
}

/** Returns the stored settings, or the defaults of a tenant without stored settings. */
async function settingsOf(db: Db, tenantId: number, lock = false) {
  const rows = db.select().from(deviceAccess).where(eq(deviceAccess.tenantId, tenantId))
  const [found] = await (lock ? rows.for('update') : rows)
  return found ?? { tenantId, ...STANDARD }
}

export async function getDeviceAccess({ db, user }: Ctx, { tenantId }: ParsedOf<typeof calls.get>) {
  const tenant = await tenantFor(db, user, tenantId)
  const { gatewayTokenHash, ...settings } = await settingsOf(db, tenant.tenantId)
  return {
    ...settings,
    ...tenant,
    hasGatewayToken: gatewayTokenHash !== null,
    autoModelName: await modelNameOf(db, settings.autoModelId),
  }
}

export async function updateDeviceAccess(ctx: Ctx, { tenantId: asked, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  assertSeesAllRecords(user)
  const { tenantId, tenantName } = await tenantFor(db, user, asked)
  await ensureSettings(db, tenantId, user.uid)
  const before = await settingsOf(db, tenantId, true)
  await checkRevision(db, before, rev)
  if (input.gatewayToken === 1 && !before.gatewayTokenHash) throw invalid('请先生成网关令牌', 'gatewayToken')
  const autoModelId = input.autoModelId ?? null
  if (autoModelId !== null && autoModelId !== before.autoModelId)
    await assertModelEnabled(db, autoModelId, 'autoModelId')
  const next = { ...input, autoModelId }
  const names = [await modelNameOf(db, before.autoModelId), await modelNameOf(db, autoModelId)] as const
  const diff = listChanges(auditFields(before, names[0]), auditFields(next, names[1]), TITLES)
  if (diff.length === 0) return { rev: before.rev }
  const [saved] = await db
    .update(deviceAccess)
    .set({ ...next, ...updateColumns(before, user.uid, now) })
    .where(eq(deviceAccess.tenantId, tenantId))
    .returning({ rev: deviceAccess.rev })
  ctx.audit({ bizType: 'deviceAccess', bizId: tenantId, action: `修改「${tenantName}」的设备接入设置`, diff })
  syncFleetAfterCommit(ctx)
  await ctx.services.events.publish(db, 'changed', { resource: 'device', tenantId })
  return saved!
}

/** Inserts the default settings, so that two simultaneous first saves lock the same row. */
const ensureSettings = (db: Db, tenantId: number, uid: number) =>
  db.insert(deviceAccess).values({ tenantId, createBy: uid, updateBy: uid }).onConflictDoNothing()

/**
 * Creates a gateway token in its own transaction. The token is stored only as a hash, and encrypted in the response
 * that repeated calls receive.
 */
export function renewGatewayToken(ctx: Ctx, { tenantId: asked }: ParsedOf<typeof calls.renewToken>) {
  assertSeesAllRecords(ctx.user)
  return transactWithOperationLog(ctx, async (db) => {
    const { user, now } = ctx
    const { tenantId, tenantName, tenantNo } = await tenantFor(db, user, asked)
    await ensureSettings(db, tenantId, user.uid)
    const before = await settingsOf(db, tenantId, true)
    const token = newToken()
    await db
      .update(deviceAccess)
      .set({ gatewayTokenHash: createHash('sha256').update(token).digest(), ...updateColumns(before, user.uid, now) })
      .where(eq(deviceAccess.tenantId, tenantId))
    const verb = before.gatewayTokenHash ? '更换' : '生成'
    ctx.audit({ bizType: 'deviceAccess', bizId: tenantId, action: `${verb}「${tenantName}」的网关令牌` })
    syncFleetAfterCommit(ctx)
    await ctx.services.events.publish(db, 'changed', { resource: 'device', tenantId })
    return { token, tenantNo }
  })
}

const auditFields = (
  { targetToken, gatewayToken, pollSeconds }: { targetToken: number; gatewayToken: number; pollSeconds: number },
  autoModelName: string,
) => ({
  target: ON_OFF[targetToken as 0 | 1],
  gateway: ON_OFF[gatewayToken as 0 | 1],
  autoModelName,
  pollSeconds,
})
