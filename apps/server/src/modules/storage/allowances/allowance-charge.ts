import { and, eq, sql } from 'drizzle-orm'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { ossAllowanceLedger, ossAllowances } from '../schema-sales.ts'

export const ALLOWANCE_ENTRY = { granted: 1, increased: 2, reduced: 3, used: 4 } as const

type LedgerCtx = Pick<Ctx, 'db' | 'user' | 'now'>
interface Line {
  readonly kind: number
  readonly amount: number
  readonly balance: number
  readonly reason: string
}

export const addAllowanceEntry = (
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
