import { randomBytes } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { appKeys as calls } from '@oms/contract/storage/app-key.ts'
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import { decrypt, encrypt, createSecret } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate } from '#core/database/lists/list-query.ts'
import { defineRecord, visibleRecords } from '#core/database/record.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { isUsableKey } from '../video/app-user.ts'
import { ossAppKeys } from '../schema-playback.ts'
import { tenants } from '#core/schema/tenant.ts'

const appKey = defineRecord({
  calls,
  kind: 'appKey',
  noun: 'App密钥',
  table: ossAppKeys,
  nameOf: ({ keyName }) => keyName,
})
export const { remove: removeAppKey, enable: enableAppKey, disable: disableAppKey } = appKey

const { secretEncrypted: _secret, sessionEpoch: _epoch, ...shownColumns } = getTableColumns(ossAppKeys)
const selectKeys = (db: Db) =>
  db
    .select({ ...shownColumns, tenantName: sql<string>`coalesce(${tenants.name}, '')` })
    .from(ossAppKeys)
    .leftJoin(tenants, eq(tenants.id, ossAppKeys.tenantId))

export async function getAppKey({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await selectKeys(db).where(and(eq(ossAppKeys.id, id), visibleRecords({ table: ossAppKeys }, user)))
  if (!found) throw notFound('App密钥')
  return found
}

export function listAppKeys({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const query = selectKeys(db)
    .where(
      and(
        visibleRecords({ table: ossAppKeys }, user),
        contains(ossAppKeys.keyName, input.keyName),
        input.tenantId === undefined ? undefined : eq(ossAppKeys.tenantId, input.tenantId),
        input.status === undefined ? undefined : eq(ossAppKeys.status, input.status),
      ),
    )
    .$dynamic()
  const sort = { createTime: ossAppKeys.createTime, updateTime: ossAppKeys.updateTime }
  return paginate(db, query, input, buildSort(input, sort, ossAppKeys.id))
}

/** Creates a key for the Apps of a tenant. Only this response contains the secret. */
export async function createAppKey(ctx: Ctx, { tenantId: requested, ...input }: ParsedOf<typeof calls.create>) {
  const { id: tenantId } = await resolveOwningTenant(ctx, requested, 'tenantId')
  const keyId = `ak${randomBytes(10).toString('hex')}`
  const secret = createSecret()
  const secretEncrypted = encrypt(ctx.services.config.secretKey, secret)
  const { id } = await appKey.insert(ctx, { ...input, tenantId, keyId, secretEncrypted })
  return { id, keyId, secret }
}

export async function updateAppKey(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  return appKey.save(ctx, await appKey.lock(ctx, id), rev, input)
}

export async function rotateAppKey(ctx: Ctx, { id }: ParsedOf<typeof calls.rotate>) {
  const stored = await appKey.lock(ctx, id)
  const secret = createSecret()
  await ctx.db
    .update(ossAppKeys)
    .set({ secretEncrypted: encrypt(ctx.services.config.secretKey, secret), rev: stored.rev + 1 })
    .where(eq(ossAppKeys.id, id))
  ctx.audit({ bizType: 'appKey', bizId: id, action: `更换App密钥「${stored.keyName}」` })
  await ctx.services.events.publish(ctx.db, 'changed', { resource: 'oss', tenantId: stored.tenantId })
  return { id, keyId: stored.keyId, secret }
}

/** Returns the secret of an enabled key with its tenant; undefined for an unknown or disabled key. */
export async function readAppKeySecret({ db, services }: Pick<Ctx, 'db' | 'services'>, keyId: string) {
  const [found] = await db
    .select({
      id: ossAppKeys.id,
      tenantId: ossAppKeys.tenantId,
      secretEncrypted: ossAppKeys.secretEncrypted,
      sessionEpoch: ossAppKeys.sessionEpoch,
    })
    .from(ossAppKeys)
    .innerJoin(tenants, eq(tenants.id, ossAppKeys.tenantId))
    .where(and(eq(ossAppKeys.keyId, keyId), isUsableKey()))
  return found && { ...found, secret: decrypt(services.config.secretKey, found.secretEncrypted) }
}
