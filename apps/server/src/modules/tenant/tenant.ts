import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { TenantInput, TenantRow } from '@oms/contract/tenant/tenant-info.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { and, eq, sql } from 'drizzle-orm'
import { listChanges, maskEmail, maskMobile } from '#core/audit/mask.ts'
import { createOneTimePassword } from '#core/auth/challenge.ts'
import { assertPlatform } from '#core/auth/grants.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { industries, tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { changePicture } from '#core/storage/picture.ts'
import { notDeleted, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { syncFleetAfterCommit } from '#modules/device/fleet/fleet.ts'
import { devices } from '#modules/device/schema.ts'
import {
  listDefaultSceneIds,
  createTenantWithAdmin,
  TENANT_ADMIN_ROLE_CODE,
  listScenesByTenant,
  setTenantScenes,
  grantScenesToAdmins,
  addTitles,
  TENANT_TITLES,
} from './open-tenant.ts'
import {
  buildTenantFilter,
  presentTenants,
  lockTenant,
  readTenant,
  selectTenants,
  type Tenant,
  buildTenantSort,
} from './tenant-rows.ts'
import { assertNotExpired } from './tenant-status.ts'

const LOGO = { field: 'logo', title: '客户标志' } as const

export async function listTenants(
  { db, user, services }: Ctx,
  { pageNum, pageSize, ...filters }: ParsedOf<typeof tenant.list>,
) {
  const rows = selectTenants(db).where(buildTenantFilter(user, filters))
  const page = await paginate(db, rows, { pageNum, pageSize }, buildTenantSort(filters))
  return { ...page, list: await presentTenants(db, user, page.list, services.database.db) }
}

export const getTenant = (ctx: Ctx, { id }: ParsedOf<typeof tenant.get>) => readTenant(ctx, id)

/**
 * Creates a tenant in its own transaction, which begins after the slow hashing of the one-time password. The password
 * is stored only as a hash, and encrypted in the response that repeated calls receive.
 */
export async function createTenant(ctx: Ctx, input: ParsedOf<typeof tenant.create>) {
  assertPlatform(ctx.user)
  const { adminAccount, adminName, adminMobile, adminEmail, ...fields } = input
  assertDateOrder(fields)
  await assertNotExpired(ctx.db, fields.expireTime)
  const { password, passwordHash } = await createOneTimePassword()
  const created = await transactWithOperationLog(ctx, async (db) => {
    const inner = { ...ctx, db }
    await assertIndustry(db, fields.industryId)
    assertScenePermission(ctx.user, fields.sceneIds, await listDefaultSceneIds(db))
    await changePicture(inner, { ...LOGO, before: '', after: fields.logo })
    const admin = {
      realname: adminName,
      ...(adminAccount && { account: adminAccount }),
      ...(adminMobile && { mobileNo: adminMobile }),
      ...(adminEmail && { email: adminEmail }),
    }
    const made = await createTenantWithAdmin(inner, stored(fields), admin, passwordHash).catch(inAdminFields)
    await publishTenantChange(inner)
    return { id: made.id, tenantNo: made.tenantNo, account: made.account, password }
  })
  // An account limited to chosen tenants sees the tenant with its next call.
  await ctx.services.events.caughtUp()
  return created
}

const ADMIN_FIELD: Readonly<Record<string, string>> = {
  account: 'adminAccount',
  realname: 'adminName',
  mobileNo: 'adminMobile',
  email: 'adminEmail',
}

/** Rethrows errors about the administrator's account with the field names of the tenant form. */
function inAdminFields(error: unknown): never {
  const { message, data } = (error ?? {}) as { message?: string; data?: { field?: string } }
  const field = data?.field && ADMIN_FIELD[data.field]
  throw field ? invalid(message ?? '', field) : error
}

function publishTenantChange(ctx: Ctx) {
  syncFleetAfterCommit(ctx)
  return ctx.services.events.publish(ctx.db, 'changed', { resource: 'tenant', tenantId: null })
}

type Fields = Omit<ParsedOf<typeof tenant.update>, 'id' | 'rev'>

const stored = <F extends Partial<Fields>>({ companySize, beginTime, contactEmail, ...rest }: F) => ({
  ...rest,
  companySize: companySize ?? null,
  beginTime: beginTime ?? null,
  contactEmail: contactEmail ?? '',
})

function assertDateOrder({
  beginTime,
  expireTime,
}: {
  beginTime?: string | undefined
  expireTime?: string | null | undefined
}) {
  if (beginTime && expireTime && expireTime <= beginTime) throw invalid('到期时间应晚于开始时间', 'expireTime')
}

/**
 * Throws when the account sets scenes without the permission. Without the permission a new tenant gets the default
 * scenes.
 */
function assertScenePermission(user: Ctx['user'], wanted: readonly number[], allowed: readonly number[]) {
  if (user.can('tenantManage:tenant:scene')) return
  const given = new Set(wanted)
  if (given.size !== allowed.length || allowed.some((id) => !given.has(id)))
    throw refused('您没有分配业务场景的权限', { field: 'sceneIds' })
}

/** Throws unless the industry is enabled or unchanged. */
async function assertIndustry(db: Db, id: number, before?: number | null) {
  const [found] = await db
    .select({ status: industries.status })
    .from(industries)
    .where(and(eq(industries.id, id), notDeleted(industries)))
    .for('share')
  if (!found) throw invalid('所选行业不存在或已被删除', 'industryId')
  if (found.status !== 1 && id !== before) throw invalid('所选行业已停用', 'industryId')
}

export async function updateTenant(ctx: Ctx, { id, rev, sceneIds, ...input }: ParsedOf<typeof tenant.update>) {
  const { db, user, now, services } = ctx
  assertPlatform(user)
  const before = await lockTenant(ctx, id)
  await checkRevision(db, before, rev)
  assertDateOrder({ beginTime: input.beginTime, expireTime: before.expireTime })
  await assertIndustry(db, input.industryId, before.industryId)
  await assertQuotas(db, before, input)
  await changePicture(ctx, { ...LOGO, before: before.logo, after: input.logo })
  const next = { ...stored(input), ...contactsOf(before, input) }
  await db
    .update(tenants)
    .set({ ...next, ...updateColumns(before, user.uid, now) })
    .where(eq(tenants.id, id))
    .catch((error: unknown) => {
      throw toUniqueViolation(error, { tenants_name: ['客户名称已存在', 'name'] }) ?? error
    })
  const had = (await listScenesByTenant(db, [id])).get(id) ?? []
  assertScenePermission(
    user,
    sceneIds,
    had.map((scene) => scene.id),
  )
  const hadScenes = had.map(({ name }) => name)
  const scenes = await setTenantScenes(db, id, sceneIds)
  if (hadScenes.join() !== scenes.join()) {
    await grantScenesToAdmins(db, id, TENANT_ADMIN_ROLE_CODE)
    await publishRightsChanged(services, db)
  }
  const names = await industryNames(db, [before.industryId, input.industryId])
  const diff = listChanges(
    addTitles({ ...before, scenes: hadScenes, industry: names.get(before.industryId ?? 0) ?? '' }),
    addTitles({ ...next, scenes, industry: names.get(input.industryId) ?? '' }),
    TENANT_TITLES,
  )
  ctx.audit({ bizType: 'tenant', bizId: id, action: `修改客户「${before.name}」`, diff })
  await publishTenantChange(ctx)
  return { rev: before.rev + 1 }
}

/** Keeps stored contact details when the form returns the masked text. */
function contactsOf(before: Tenant, input: Pick<Fields, 'contactPhone' | 'contactEmail'>) {
  const { contactPhone, contactEmail = '' } = input
  const keep = (sent: string, was: string, mask: string | null) => sent === was || (was !== '' && sent === mask)
  const checked = (field: 'contactPhone' | 'contactEmail', sent: string) => {
    const { data, error } = TenantInput.shape[field].safeParse(sent)
    if (error) throw invalid(error.issues[0]?.message ?? '格式不正确', field)
    return data ?? ''
  }
  return {
    contactPhone: keep(contactPhone, before.contactPhone, maskMobile(before.contactPhone))
      ? before.contactPhone
      : checked('contactPhone', contactPhone),
    contactEmail: keep(contactEmail, before.contactEmail, maskEmail(before.contactEmail))
      ? before.contactEmail
      : checked('contactEmail', contactEmail),
  }
}

/** Throws when a quota is below the current number. */
async function assertQuotas(
  db: Db,
  { id }: Tenant,
  { accountCount, deviceQuota }: Pick<Fields, 'accountCount' | 'deviceQuota'>,
) {
  if (accountCount >= 0) {
    const used = await db.$count(accounts, and(eq(accounts.tenantId, id), notDeleted(accounts)))
    if (used > accountCount) throw invalid(`已有${used}个账号，上限不能小于已有数量`, 'accountCount')
  }
  if (deviceQuota >= 0) {
    const used = await db.$count(devices, and(eq(devices.tenantId, id), notDeleted(devices)))
    if (used > deviceQuota) throw invalid(`已有${used}台设备，上限不能小于已有数量`, 'deviceQuota')
  }
}

async function industryNames(db: Db, ids: readonly (number | null)[]) {
  const rows = await db
    .select({ id: industries.id, name: industries.name })
    .from(industries)
    .where(sql`${industries.id} = any(${sql.param(ids.filter((id) => id !== null))}::int[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const limit = (count: number) => (count < 0 ? '不限' : String(count))

/** Exports the filtered list in list order. Phone numbers and mail addresses are masked as in the list. */
export const exportTenants = defineExport({
  kind: 'tenant',
  endpoint: tenant.export,
  sheet: '客户',
  schema: TenantRow,
  columns: [
    'tenantNo',
    ['name', { width: 30 }],
    'shortName',
    'industryName',
    'companySize',
    'level',
    'contactName',
    'contactPhone',
    'contactEmail',
    'sceneNames',
    ['accountUsed', { type: 'number' }],
    'accountCount',
    ['deviceUsed', { type: 'number' }],
    'deviceQuota',
    ['beginTime', { type: 'dateTime', width: 20 }],
    ['expireTime', { type: 'dateTime', width: 20 }],
    'status',
    ['createTime', { type: 'dateTime', width: 20 }],
    'remark',
  ],
  key: tenants.id,
  where: buildTenantFilter,
  order: buildTenantSort,
  load: async (db, user, where) => presentTenants(db, user, await selectTenants(db).where(where)),
  keyOf: ({ id }) => id,
  line: ({ accountCount, deviceQuota }) => ({ accountCount: limit(accountCount), deviceQuota: limit(deviceQuota) }),
})
