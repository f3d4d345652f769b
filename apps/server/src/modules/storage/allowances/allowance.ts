import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type storageAllowances as calls, AllowanceInput } from '@oms/contract/storage/allowance.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { ossAllowanceLedger, ossAllowances } from '../schema-sales.ts'
import { ossPackages } from '../schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import { conflict, forbidden, invalid, notFound } from '#core/http/api-error.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { buildSort, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { addAllowanceEntry, ALLOWANCE_ENTRY } from './allowance-charge.ts'
import { publishEntitlementsChanged } from '../entitlements/open.ts'

const KIND = 'storageAllowance'
const TITLES = readFieldTitles(AllowanceInput.shape)

const visible = (user: User) => scoped(user, { tenant: ossAllowances.tenantId, creator: ossAllowances.createBy })

const select = (db: Db) =>
  db
    .select({
      id: ossAllowances.id,
      tenantId: ossAllowances.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      packageId: ossAllowances.packageId,
      packageName: sql<string>`coalesce(${ossPackages.packageName}, '')`.as('package_name'),
      packageCode: sql<string>`coalesce(${ossPackages.packageCode}, '')`.as('package_code'),
      quota: ossAllowances.quota,
      used: ossAllowances.used,
      remaining: sql<number>`${ossAllowances.quota} - ${ossAllowances.used}`.as('remaining'),
      remark: ossAllowances.remark,
      createTime: ossAllowances.createTime,
      updateTime: ossAllowances.updateTime,
      rev: ossAllowances.rev,
    })
    .from(ossAllowances)
    .leftJoin(tenants, eq(tenants.id, ossAllowances.tenantId))
    .leftJoin(ossPackages, eq(ossPackages.id, ossAllowances.packageId))

export function listAllowances({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const { tenantId, packageId } = input
  const rows = select(db).where(
    and(
      visible(user),
      tenantId === undefined ? undefined : eq(ossAllowances.tenantId, tenantId),
      packageId === undefined ? undefined : eq(ossAllowances.packageId, packageId),
    ),
  )
  const columns = { createTime: ossAllowances.createTime, updateTime: ossAllowances.updateTime }
  return paginate(db, rows.$dynamic(), input, buildSort(input, columns, ossAllowances.id))
}

export async function getAllowance({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await select(db).where(and(eq(ossAllowances.id, id), visible(user)))
  if (!found) throw notFound('开通额度')
  return found
}

export async function listAllowanceLedger(ctx: Ctx, { id, ...page }: ParsedOf<typeof calls.ledger>) {
  const { db } = ctx
  await getAllowance(ctx, { id })
  const rows = db.select().from(ossAllowanceLedger).where(eq(ossAllowanceLedger.allowanceId, id)).$dynamic()
  return paginate(db, rows, page, [desc(ossAllowanceLedger.id)])
}

async function packageNameOf({ db }: Ctx, packageId: number) {
  const [found] = await db
    .select({ name: ossPackages.packageName })
    .from(ossPackages)
    .where(and(eq(ossPackages.id, packageId), notDeleted(ossPackages)))
  if (!found) throw invalid('云存套餐不存在或已被删除', 'packageId')
  return found.name
}

/** Grants a tenant a number of copies of a package. Only staff of the vendor grants allowances. */
export async function createAllowance(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { db, user, now } = ctx
  if (!user.isPlatform) throw forbidden()
  const problems = new FieldProblems()
  const tenant = (await problems.collect(() => requireReceivingTenant(ctx, input.tenantId, 'tenantId')))!
  const packageName = await problems.collect(() => packageNameOf(ctx, input.packageId))
  problems.throwIfAny()
  const at = now.toISOString()
  const [made] = await db
    .insert(ossAllowances)
    .values({ ...input, createBy: user.uid, updateBy: user.uid, createTime: at, updateTime: at })
    .onConflictDoNothing()
    .returning()
  if (!made) throw conflict(`客户「${tenant.name}」已有该套餐的开通额度，请修改额度`, 'packageId')
  const { quota, remark: reason } = input
  await addAllowanceEntry(ctx, made, { kind: ALLOWANCE_ENTRY.granted, amount: quota, balance: quota, reason })
  ctx.audit({
    bizType: KIND,
    bizId: made.id,
    action: `为客户「${tenant.name}」发放套餐「${packageName}」的开通额度${quota}份`,
    diff: listChanges({}, { quota, remark: input.remark }, TITLES),
  })
  await publishEntitlementsChanged(ctx)
  return { id: made.id }
}

/** Changes the quota of an allowance. The quota cannot be less than the used copies. */
export async function updateAllowance(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  if (!user.isPlatform) throw forbidden()
  const [stored] = await db
    .select()
    .from(ossAllowances)
    .where(and(eq(ossAllowances.id, id), visible(user)))
    .for('update')
  if (!stored) throw notFound('开通额度')
  await checkRevision(db, stored, rev)
  if (input.quota < stored.used) throw invalid(`额度不能小于已使用的${stored.used}份`, 'quota')
  const diff = listChanges(stored, input, TITLES)
  if (diff.length === 0) return { rev: stored.rev }
  const next = updateColumns(stored, user.uid, now)
  await db
    .update(ossAllowances)
    .set({ ...input, ...next })
    .where(eq(ossAllowances.id, id))
  const amount = input.quota - stored.quota
  const kind = amount > 0 ? ALLOWANCE_ENTRY.increased : ALLOWANCE_ENTRY.reduced
  const balance = input.quota - stored.used
  if (amount !== 0) await addAllowanceEntry(ctx, stored, { kind, amount, balance, reason: input.remark })
  ctx.audit({ bizType: KIND, bizId: id, action: '修改云存开通额度', diff })
  await publishEntitlementsChanged(ctx)
  return { rev: next.rev }
}
