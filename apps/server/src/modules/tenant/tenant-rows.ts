import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { tenant } from '@oms/contract/tenant/tenant.ts'
import { and, type Column, eq, inArray, isNull, ne, not, or, type SQL, sql } from 'drizzle-orm'
import { maskEmail, maskMobile } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, within, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { industries, tenants } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { expiresWithinDays, TENANT_EXPIRED_CONDITION } from '#core/tenancy/tenant-state.ts'
import { devices } from '#modules/device/schema.ts'
import { listScenesByTenant } from './open-tenant.ts'

type TenantFilters = Omit<ParsedOf<typeof tenant.list>, 'pageNum' | 'pageSize'>
export type Tenant = typeof tenants.$inferSelect

/** Returns the condition for tenants that an account may see, without the platform. */
const visibleTenants = (user: User): SQL | undefined =>
  and(notDeleted(tenants), ne(tenants.id, PLATFORM_TENANT_ID), scoped(user, { tenant: tenants.id }))

const canSeeContacts = (user: User) => user.can('tenantManage:tenant:plain')

const STATUS_IS = {
  3: TENANT_EXPIRED_CONDITION,
  1: and(eq(tenants.status, 1), not(TENANT_EXPIRED_CONDITION)),
  0: and(eq(tenants.status, 0), not(TENANT_EXPIRED_CONDITION)),
}

export function buildTenantFilter(user: User, filters: TenantFilters) {
  const { keyword, name, tenantNo, contactName, contactPhone, industryId, level, status, sceneId, expiresWithin } =
    filters
  return and(
    visibleTenants(user),
    contains(tenants.name, name),
    contains(tenants.tenantNo, tenantNo),
    contains(tenants.contactName, contactName),
    ofContact(user, tenants.contactPhone, contactPhone),
    keyword
      ? or(
          contains(tenants.name, keyword),
          contains(tenants.tenantNo, keyword),
          contains(tenants.contactName, keyword),
          contains(tenants.licenseNumber, keyword),
          ofContact(user, tenants.contactPhone, keyword),
          ofContact(user, tenants.contactEmail, keyword),
        )
      : undefined,
    industryId === undefined ? undefined : ofIndustry(industryId),
    level === undefined ? undefined : eq(tenants.level, level),
    status === undefined ? undefined : STATUS_IS[status],
    sceneId === undefined
      ? undefined
      : sql`${tenants.id} in (select ts.tenant_id from tenant_scenes ts where ts.scene_id = ${sceneId})`,
    expiresWithin === undefined ? undefined : expiresWithinDays(expiresWithin),
    ...within(tenants.createTime, filters.beginTime, filters.endTime),
  )
}

/**
 * Returns the condition for a part of a contact detail. Without the permission for contact details, search requires the
 * full text. Partial matches would let an account guess numbers digit by digit.
 */
const ofContact = (user: User, column: Column, text: string | undefined) =>
  text && !canSeeContacts(user) ? eq(column, text) : contains(column, text)

/** Returns the condition for an industry and its children. */
const ofIndustry = (id: number) =>
  sql`${tenants.industryId} in (select i.id from industries i where (i.id = ${id} or i.parent_id = ${id}) and i.deleted_at is null)`

export const buildTenantSort = (filters: TenantFilters) =>
  buildSort(
    filters,
    {
      createTime: tenants.createTime,
      // A tenant without an end sorts after all others.
      expireTime: sql`coalesce(${tenants.expireTime}, 'infinity')`,
      name: byName(tenants.name),
      level: tenants.level,
    },
    tenants.id,
  )

const listed = {
  id: tenants.id,
  tenantNo: tenants.tenantNo,
  name: tenants.name,
  shortName: tenants.shortName,
  industryId: tenants.industryId,
  industryName: sql<string>`coalesce(${industries.name}, '')`,
  companySize: tenants.companySize,
  contactName: tenants.contactName,
  contactPhone: tenants.contactPhone,
  contactEmail: tenants.contactEmail,
  level: tenants.level,
  accountCount: tenants.accountCount,
  deviceQuota: tenants.deviceQuota,
  allowApply: tenants.allowApply,
  joinCode: sql<string>`coalesce(${tenants.joinCode}, '')`,
  beginTime: tenants.beginTime,
  expireTime: tenants.expireTime,
  daysLeft: sql<number | null>`ceil(extract(epoch from ${tenants.expireTime} - now()) / 86400)::int`,
  status: sql<number>`case when ${TENANT_EXPIRED_CONDITION} then 3 else ${tenants.status} end`,
  createTime: tenants.createTime,
  updateTime: tenants.updateTime,
  remark: tenants.remark,
  rev: tenants.rev,
}
const detailed = {
  ...listed,
  adPlatformAudit: tenants.adPlatformAudit,
  licenseNumber: tenants.licenseNumber,
  areaCode: tenants.areaCode,
  address: tenants.address,
  logo: tenants.logo,
  domain: tenants.domain,
  intro: tenants.intro,
}

export const selectTenants = (db: Db) =>
  db.select(listed).from(tenants).leftJoin(industries, eq(industries.id, tenants.industryId)).$dynamic()

interface Bare {
  id: number
  contactPhone: string
  contactEmail: string
}

/** Adds scenes and usage to tenant rows and masks contact details unless permitted. */
export async function presentTenants<R extends Bare>(db: Db, user: User, rows: readonly R[], behind?: Db) {
  const ids = rows.map(({ id }) => id)
  const [scenes, staff, devices] = [
    await listScenesByTenant(db, ids),
    await accountCounts(db, ids),
    await countDevicesByTenant(db, ids, behind),
  ]
  const plain = canSeeContacts(user)
  return rows.map((row) => ({
    ...row,
    ...(!plain && {
      contactPhone: maskMobile(row.contactPhone) ?? '',
      contactEmail: maskEmail(row.contactEmail) ?? '',
    }),
    sceneIds: (scenes.get(row.id) ?? []).map(({ id }) => id),
    sceneNames: (scenes.get(row.id) ?? []).map(({ name }) => name),
    accountUsed: staff.get(row.id) ?? 0,
    deviceUsed: devices.get(row.id) ?? 0,
  }))
}

async function accountCounts(db: Db, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, number>()
  const rows = await db
    .select({ tenantId: accounts.tenantId, n: sql<number>`count(*)::int` })
    .from(accounts)
    .where(and(inArray(accounts.tenantId, [...ids]), isNull(accounts.deletedAt)))
    .groupBy(accounts.tenantId)
  return new Map(rows.map(({ tenantId, n }) => [tenantId as number, n]))
}

/** Returns one visible tenant with the fields of its page. */
export async function readTenant({ db, user, services }: Pick<Ctx, 'db' | 'user' | 'services'>, id: number) {
  const rows = await db
    .select(detailed)
    .from(tenants)
    .leftJoin(industries, eq(industries.id, tenants.industryId))
    .where(and(eq(tenants.id, id), visibleTenants(user)))
  const [found] = await presentTenants(db, user, rows, services.database.db)
  if (!found) throw notFound('客户')
  return found
}

/** Returns one visible tenant, locked until the transaction ends. */
export async function lockTenant({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number): Promise<Tenant> {
  const [found] = await db
    .select()
    .from(tenants)
    .where(and(eq(tenants.id, id), visibleTenants(user)))
    .for('update')
  if (!found) throw notFound('客户')
  return found
}

/** Throws unless the tenant is visible. Called for each block of the tenant's page. */
export async function assertTenantVisible({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number) {
  const [found] = await db
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(eq(tenants.id, id), visibleTenants(user)))
  if (!found) throw notFound('客户')
}

/** Counts above this number are cached, because the exact number does not matter in a list. */
const KEPT_FROM = 5000
const KEPT_MS = 60_000
/** Maximum age of a count that is returned while a new count runs in the background. */
const SHOWN_MS = 600_000

const kept = new Map<number, { readonly at: number; readonly n: number }>()
const underWay = new Set<number>()

/**
 * Counts the devices of each tenant. Tenants without devices may be absent. With `behind`, large counts are refreshed
 * in the background: only the first request waits, and later requests get the cached count. `behind` must be a database
 * outside any transaction.
 */
async function countDevicesByTenant(db: Db, tenantIds: readonly number[], behind?: Db): Promise<Map<number, number>> {
  const now = Date.now()
  const counts = new Map<number, number>()
  const asked: number[] = []
  const old: number[] = []
  for (const id of tenantIds) {
    const known = kept.get(id)
    const age = known ? now - known.at : Number.POSITIVE_INFINITY
    if (!known || age > (behind ? SHOWN_MS : KEPT_MS)) asked.push(id)
    else counts.set(id, known.n)
    if (known && age > KEPT_MS && !underWay.has(id)) old.push(id)
  }
  if (behind && old.length > 0) void countBehind(behind, old)
  for (const [id, n] of await count(db, asked)) counts.set(id, n)
  return counts
}

async function countBehind(db: Db, ids: readonly number[]) {
  for (const id of ids) underWay.add(id)
  // A failed count is repeated by the next request after the cached count is too old.
  await count(db, ids).catch(() => {})
  for (const id of ids) underWay.delete(id)
}

async function count(db: Db, ids: readonly number[]) {
  if (ids.length === 0) return []
  const rows = await db
    .select({ id: devices.tenantId, n: sql<number>`count(*)::int` })
    .from(devices)
    .where(
      and(ids.length === 1 ? eq(devices.tenantId, ids[0]!) : inArray(devices.tenantId, [...ids]), notDeleted(devices)),
    )
    .groupBy(devices.tenantId)
  const at = Date.now()
  for (const id of ids) kept.delete(id)
  for (const { id, n } of rows) if (n >= KEPT_FROM) kept.set(id, { at, n })
  return rows.map(({ id, n }) => [id, n] as const)
}
