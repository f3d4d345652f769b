import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type storageAllowances as calls, AllowanceInput } from '@oms/contract/storage/allowance.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { buildSort, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, forbidden, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { publishEntitlementsChanged } from './queue-store.ts'
import { ossAllowanceLedger, ossAllowances } from './schema-sales.ts'
import { ossPackages } from './schema.ts'

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

const ALLOWANCE_ENTRY = { granted: 1, increased: 2, reduced: 3, used: 4 } as const

type LedgerCtx = Pick<Ctx, 'db' | 'user' | 'now'>
interface Line {
  readonly kind: number
  readonly amount: number
  readonly balance: number
  readonly reason: string
}

const addAllowanceEntry = (
  { db, user, now }: LedgerCtx,
  { id, tenantId }: { id: number; tenantId: number },
  line: Line,
) =>
  db.insert(ossAllowanceLedger).values({
    ...line,
    allowanceId: id,
    tenantId,
    uid: user.uid,
    operName: (user.realname || user.account).slice(0, 30),
    reason: line.reason.slice(0, 200),
    createTime: now.toISOString(),
  })

const isOf = (user: Ctx['user'], packageId: number) =>
  and(eq(ossAllowances.tenantId, user.tenantId ?? 0), eq(ossAllowances.packageId, packageId))

/** Returns the remaining copies of a package for the caller's tenant; null for staff of the vendor, who needs none. */
export async function readRemainingAllowance({ db, user }: Pick<Ctx, 'db' | 'user'>, packageId: number) {
  if (user.isPlatform) return null
  const [found] = await db
    .select({ left: sql<number>`${ossAllowances.quota} - ${ossAllowances.used}` })
    .from(ossAllowances)
    .where(isOf(user, packageId))
  return found?.left ?? 0
}

/**
 * Charges opened copies to the allowances of the caller's tenant, packages in the order of their ids. Refuses when an
 * allowance does not cover the copies. The condition of the update is checked again under the row lock, so that
 * concurrent charges never exceed the quota.
 */
export async function chargeAllowances(ctx: LedgerCtx, copies: ReadonlyMap<number, number>, reason: string) {
  const { db, user, now } = ctx
  if (user.isPlatform) return
  for (const [packageId, count] of [...copies].toSorted(([a], [b]) => a - b)) {
    if (count === 0) continue
    const [charged] = await db
      .update(ossAllowances)
      .set({
        used: sql`${ossAllowances.used} + ${count}`,
        rev: sql`${ossAllowances.rev} + 1`,
        updateBy: user.uid,
        updateTime: now.toISOString(),
      })
      .where(and(isOf(user, packageId), sql`${ossAllowances.quota} - ${ossAllowances.used} >= ${count}`))
      .returning()
    if (!charged) throw allowanceExceeded(await readRemainingAllowance(ctx, packageId))
    const balance = charged.quota - charged.used
    await addAllowanceEntry(ctx, charged, { kind: ALLOWANCE_ENTRY.used, amount: -count, balance, reason })
  }
}

const allowanceExceeded = (left: number | null) => invalid(`开通额度不足，剩余${left ?? 0}份`, 'packageId')

/** Throws like `chargeAllowances` unless the allowance covers this number of copies. Locks and writes no row. */
export async function assertAllowanceCovers(ctx: Pick<Ctx, 'db' | 'user'>, packageId: number, copies: number) {
  const left = await readRemainingAllowance(ctx, packageId)
  if (left !== null && left < copies) throw allowanceExceeded(left)
}
