import { randomInt } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { licenseGrants as calls, MAX_QUOTA, OWN_GRANT_MESSAGE, GrantRow } from '@oms/contract/license/license-grant.ts'
import { and, eq, gte, lte, type SQL, sql, desc, asc, inArray } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, within, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { forbidden, invalid, notFound, refused } from '#core/http/api-error.ts'
import type { User, Ctx } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { scoped, notDeleted } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant, requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { publishOutboxEvent } from '#modules/integration/index.ts'
import { listKnownTypes } from './license-import.ts'
import type { StoredLicense } from './license-step.ts'
import { publishLicensesChanged } from './license.ts'
import { licenseGrants, licenseLedger } from './schema.ts'

type GrantFilter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

const visibleGrants = (user: User) => scoped(user, { tenant: licenseGrants.tenantId, creator: licenseGrants.createBy })

/** Selects grants with the columns of lists and details. */
const selectGrants = (db: Db, user: User) =>
  db
    .select({
      id: licenseGrants.id,
      grantNo: licenseGrants.grantNo,
      tenantId: licenseGrants.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      typeCode: licenseGrants.typeCode,
      modelId: licenseGrants.modelId,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      quota: licenseGrants.quota,
      used: licenseGrants.used,
      // A grant that was never issued has nothing left.
      remaining:
        sql<number>`case when ${licenseGrants.status} in (0, 5) then 0 else ${licenseGrants.quota} - ${licenseGrants.used} end`.as(
          'remaining',
        ),
      validFrom: licenseGrants.validFrom,
      validTo: licenseGrants.validTo,
      status: licenseGrants.status,
      contractNo: licenseGrants.contractNo,
      applyName: licenseGrants.applyName,
      isMine: sql<boolean>`${licenseGrants.applyBy} is not distinct from ${user.uid}`.as('is_mine'),
      auditName: licenseGrants.auditName,
      auditTime: licenseGrants.auditTime,
      auditRemark: licenseGrants.auditRemark,
      remark: licenseGrants.remark,
      createTime: licenseGrants.createTime,
      rev: licenseGrants.rev,
    })
    .from(licenseGrants)
    .leftJoin(tenants, eq(tenants.id, licenseGrants.tenantId))
    .leftJoin(deviceModels, eq(deviceModels.id, licenseGrants.modelId))

const buildGrantFilter = (user: User, filter: Partial<GrantFilter>): SQL | undefined =>
  and(
    visibleGrants(user),
    filter.tenantId === undefined ? undefined : eq(licenseGrants.tenantId, filter.tenantId),
    filter.status === undefined ? undefined : eq(licenseGrants.status, filter.status),
    contains(licenseGrants.typeCode, filter.typeCode),
    contains(licenseGrants.grantNo, filter.grantNo),
    contains(licenseGrants.contractNo, filter.contractNo),
    filter.expireBegin === undefined ? undefined : gte(licenseGrants.validTo, filter.expireBegin.slice(0, 10)),
    filter.expireEnd === undefined ? undefined : lte(licenseGrants.validTo, filter.expireEnd.slice(0, 10)),
    ...within(licenseGrants.createTime, filter.beginTime, filter.endTime),
  )

const buildGrantSort = (filter: Pick<GrantFilter, 'orderByColumn' | 'isAsc'>) =>
  buildSort(filter, { createTime: licenseGrants.id, validTo: licenseGrants.validTo }, licenseGrants.id)

export const listGrants = ({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) =>
  paginate(db, selectGrants(db, user).where(buildGrantFilter(user, input)).$dynamic(), input, buildGrantSort(input))

export async function getGrant({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await selectGrants(db, user).where(and(eq(licenseGrants.id, id), visibleGrants(user)))
  if (!found) throw notFound('授权')
  return found
}

export async function listLedgerEntries({ db, user }: Ctx, { id, ...page }: ParsedOf<typeof calls.ledger>) {
  if ((await db.$count(licenseGrants, and(eq(licenseGrants.id, id), visibleGrants(user)))) === 0) throw notFound('授权')
  const rows = db
    .select({
      id: licenseLedger.id,
      kind: licenseLedger.kind,
      amount: licenseLedger.amount,
      balance: licenseLedger.balance,
      operName: licenseLedger.operName,
      reason: licenseLedger.reason,
      createTime: licenseLedger.createTime,
    })
    .from(licenseLedger)
    .where(eq(licenseLedger.grantId, id))
    .$dynamic()
  return paginate(db, rows, page, [desc(licenseLedger.id)])
}

/** `GR260102482100`, with the day of the console's zone. */
const numberOf = ({ now, services }: Ctx) =>
  `GR${formatLocalDay(now, services.config.timeZone).slice(2).replaceAll('-', '')}${randomInt(100_000, 1_000_000)}`

/** Refuses a type that no certificate or grant of the tenant has. Only staff of the vendor introduce types. */
async function assertKnownType({ db }: Ctx, typeCode: string) {
  if ((await listKnownTypes(db)).has(typeCode)) return
  throw invalid(`授权类型「${typeCode}」不存在，请改正或联系平台`, 'typeCode')
}

/** Creates an application for a grant. A tenant applies for itself, staff of the vendor for any tenant. */
export async function createGrant(ctx: Ctx, { tenantId, ...input }: ParsedOf<typeof calls.create>) {
  const { db, user, now } = ctx
  const tenant = await resolveOwningTenant(ctx, tenantId, 'tenantId')
  const modelId = input.modelId ?? null
  if (
    modelId !== null &&
    (await db.$count(deviceModels, and(eq(deviceModels.id, modelId), notDeleted(deviceModels)))) === 0
  )
    throw invalid('型号不存在或已被删除', 'modelId')
  if (!user.isPlatform) await assertKnownType(ctx, input.typeCode)
  const grantNo = numberOf(ctx)
  const [made] = await db
    .insert(licenseGrants)
    .values({
      ...input,
      modelId,
      grantNo,
      tenantId: tenant.id,
      applyBy: user.uid,
      applyName: user.realname || user.account,
      createBy: user.uid,
      updateBy: user.uid,
      createTime: now.toISOString(),
    })
    .returning({ id: licenseGrants.id })
  const id = made!.id
  ctx.audit({
    bizType: 'license-grant',
    bizId: id,
    action: `为客户「${tenant.name}」申请授权 ${grantNo}：${input.typeCode} ${input.quota}个`,
  })
  await publishLicensesChanged(ctx, [tenant.id])
  return { id, grantNo }
}

/** Returns the grant, locked. Only staff of the vendor may decide on grants. */
async function forChange({ db, user }: Ctx, id: number, rev: number, own = false): Promise<StoredGrant> {
  const [found] = await db
    .select()
    .from(licenseGrants)
    .where(and(eq(licenseGrants.id, id), visibleGrants(user)))
    .for('update')
  if (!found) throw notFound('授权')
  if (!user.isPlatform && !own) throw forbidden()
  await checkRevision(db, found, rev)
  return found
}

const isPast = async ({ db }: Ctx, day: string) => {
  const { rows } = await db.execute<{ past: boolean }>(sql`select ${day}::date < current_date as past`)
  return rows[0]?.past === true
}

/** Writes the operation log, publishes the change and returns the new revision of the grant. */
async function done(ctx: Ctx, grant: StoredGrant, action: string, next: object = {}) {
  const titles = { quota: '授权数量', validTo: '失效日期', auditRemark: '审批意见' }
  ctx.audit({
    bizType: 'license-grant',
    bizId: grant.id,
    action: `${action} ${grant.grantNo}`,
    diff: listChanges(grant, next, titles),
  })
  await publishLicensesChanged(ctx, [grant.tenantId])
  return { rev: grant.rev + 1 }
}

export async function reviewGrant(ctx: Ctx, { id, rev, pass, auditRemark }: ParsedOf<typeof calls.audit>) {
  const { db, user, now } = ctx
  const grant = await forChange(ctx, id, rev)
  if (grant.status !== GRANT_STATUS_CODE.pending) throw refused('该申请已处理')
  if (grant.applyBy === user.uid) throw refused(OWN_GRANT_MESSAGE)
  if (pass === 1) await requireReceivingTenant(ctx, grant.tenantId)
  if (pass === 1 && (await isPast(ctx, grant.validTo))) throw refused('授权的失效日期已过，请驳回后重新申请')
  const decided = {
    auditBy: user.uid,
    auditName: user.realname || user.account,
    auditTime: now.toISOString(),
    auditRemark,
  }
  await db.update(licenseGrants).set(decided).where(eq(licenseGrants.id, id))
  if (pass === 1)
    await addLedgerEntry(
      ctx,
      grant,
      { status: GRANT_STATUS_CODE.effective },
      { kind: LEDGER_KIND.issue, reason: auditRemark || '审批通过' },
    )
  else await addLedgerEntry(ctx, grant, { status: GRANT_STATUS_CODE.rejected })
  const { grantNo, typeCode, quota, tenantId } = grant
  const data = { id, grantNo, typeCode, quota, isApproved: pass === 1 }
  await publishOutboxEvent(ctx.services, db, { type: 'grant.decided', tenantId, data })
  return done(ctx, grant, pass === 1 ? '通过授权' : `驳回授权（${auditRemark}）`, { auditRemark })
}

export async function renewGrant(ctx: Ctx, { id, rev, validTo, reason }: ParsedOf<typeof calls.renew>) {
  const grant = await forChange(ctx, id, rev)
  assertIssued(grant)
  await requireReceivingTenant(ctx, grant.tenantId)
  if (validTo <= grant.validTo) throw invalid('新的失效日期必须晚于原失效日期', 'validTo')
  if (await isPast(ctx, validTo)) throw invalid('失效日期不能早于今天', 'validTo')
  const status = grant.quota > grant.used ? GRANT_STATUS_CODE.effective : GRANT_STATUS_CODE.exhausted
  await addLedgerEntry(ctx, grant, { validTo, status })
  return done(ctx, grant, `续期授权（${reason}）`, { validTo })
}

export async function addGrantQuota(ctx: Ctx, { id, rev, amount, reason }: ParsedOf<typeof calls.addQuota>) {
  const grant = await forChange(ctx, id, rev)
  assertIssued(grant)
  await requireReceivingTenant(ctx, grant.tenantId)
  const quota = grant.quota + amount
  if (quota > MAX_QUOTA) throw invalid(`授权数量不能大于${MAX_QUOTA}`, 'amount')
  await addLedgerEntry(ctx, grant, { quota }, { kind: LEDGER_KIND.add, reason })
  return done(ctx, grant, `增加授权额度${amount}个（${reason}）`, { quota })
}

function assertIssued({ status }: StoredGrant) {
  if (status === GRANT_STATUS_CODE.pending) throw refused('授权尚未审批')
  if (status === GRANT_STATUS_CODE.revoked || status === GRANT_STATUS_CODE.rejected)
    throw refused('授权已撤销或驳回，不能修改')
}

/** Revokes a grant: the quota is reduced to the used amount. The applicant may withdraw an undecided application. */
export async function revokeGrant(ctx: Ctx, { id, rev, reason }: ParsedOf<typeof calls.revoke>) {
  const grant = await forChange(ctx, id, rev, true)
  const isPending = grant.status === GRANT_STATUS_CODE.pending
  if (!isPending && !ctx.user.isPlatform) throw forbidden()
  if (grant.status === GRANT_STATUS_CODE.revoked || grant.status === GRANT_STATUS_CODE.rejected)
    throw refused('授权已撤销或驳回')
  if (isPending) {
    await addLedgerEntry(ctx, grant, { status: GRANT_STATUS_CODE.revoked, quota: 0 })
    await ctx.db.update(licenseGrants).set({ auditRemark: reason }).where(eq(licenseGrants.id, id))
    return done(ctx, grant, `撤回授权申请（${reason}）`)
  }
  const line = grant.quota > grant.used ? { kind: LEDGER_KIND.revoke, reason } : undefined
  await addLedgerEntry(ctx, grant, { status: GRANT_STATUS_CODE.revoked, quota: grant.used }, line)
  return done(ctx, grant, `撤销授权（${reason}）`, { quota: grant.used })
}

const number = { type: 'number', width: 12 } as const
const time = { type: 'dateTime', width: 20 } as const

export const exportGrants = defineExport({
  kind: 'license-grant',
  endpoint: calls.export,
  sheet: '授权',
  schema: GrantRow,
  columns: [
    ['grantNo', { width: 20 }],
    'tenantName',
    'typeCode',
    'modelName',
    ['quota', number],
    ['used', number],
    ['remaining', number],
    ['validFrom', { width: 14 }],
    ['validTo', { width: 14 }],
    'status',
    'contractNo',
    'applyName',
    ['createTime', time],
    'auditName',
    ['auditTime', time],
    'auditRemark',
    'remark',
  ],
  key: licenseGrants.id,
  where: buildGrantFilter,
  order: buildGrantSort,
  load: (db, user, where) => selectGrants(db, user).where(where),
  keyOf: ({ id }) => id,
})

export type StoredGrant = typeof licenseGrants.$inferSelect
type LedgerCtx = Pick<Ctx, 'db' | 'user' | 'now'>

export const LEDGER_KIND = { issue: 1, add: 2, allot: 3, returnQuota: 4, revoke: 5 } as const
const GRANT_STATUS_CODE = {
  pending: 0,
  effective: 1,
  exhausted: 2,
  expired: 3,
  revoked: 4,
  rejected: 5,
} as const

/** Writes the change of a grant and its ledger entry. The caller holds the lock of the grant's row. */
export async function addLedgerEntry(
  { db, user, now }: LedgerCtx,
  grant: StoredGrant,
  next: { quota?: number; used?: number; status?: number; validTo?: string },
  line?: { kind: number; reason: string },
) {
  const quota = next.quota ?? grant.quota
  const used = next.used ?? grant.used
  const status = next.status ?? statusAfter(grant.status, quota - used)
  const at = now.toISOString()
  await db
    .update(licenseGrants)
    .set({ ...next, quota, used, status, rev: grant.rev + 1, updateBy: user.uid, updateTime: at })
    .where(eq(licenseGrants.id, grant.id))
  if (!line) return
  const before = line.kind === LEDGER_KIND.issue ? 0 : grant.quota - grant.used
  await db.insert(licenseLedger).values({
    grantId: grant.id,
    tenantId: grant.tenantId,
    kind: line.kind,
    amount: quota - used - before,
    balance: quota - used,
    uid: user.uid,
    operName: user.realname || user.account,
    reason: line.reason.slice(0, 200),
    createTime: at,
  })
}

/** Returns the status of a grant by its remaining quota: in force or used up. */
function statusAfter(status: number, remaining: number) {
  if (status !== GRANT_STATUS_CODE.effective && status !== GRANT_STATUS_CODE.exhausted) return status
  return remaining > 0 ? GRANT_STATUS_CODE.effective : GRANT_STATUS_CODE.exhausted
}

/** Returns the tenant's grants in force for a type, ordered by end date. */
export async function listGrantsInForce(db: Db, tenantId: number, types: readonly string[], locked = false) {
  if (types.length === 0) return []
  const query = db
    .select()
    .from(licenseGrants)
    .where(
      and(
        eq(licenseGrants.tenantId, tenantId),
        inArray(licenseGrants.typeCode, [...types]),
        eq(licenseGrants.status, GRANT_STATUS_CODE.effective),
        sql`current_date between ${licenseGrants.validFrom} and ${licenseGrants.validTo}`,
      ),
    )
    // Locks in the order of primary keys, which prevents deadlocks.
    .orderBy(asc(licenseGrants.id))
  const found = await (locked ? query.for('update') : query)
  return found.toSorted((a, b) => a.validTo.localeCompare(b.validTo) || a.id - b.id)
}

export const grantCovers = (grant: StoredGrant, typeCode: string, modelId: number | null) =>
  grant.typeCode === typeCode && (grant.modelId === null || grant.modelId === modelId)

/** Credits grants for certificates that return to stock. */
export async function returnQuota(ctx: LedgerCtx, list: readonly StoredLicense[], reason: string) {
  const counts = new Map<number, number>()
  for (const { grantId } of list) if (grantId !== null) counts.set(grantId, (counts.get(grantId) ?? 0) + 1)
  if (counts.size === 0) return
  const grants = await ctx.db
    .select()
    .from(licenseGrants)
    .where(inArray(licenseGrants.id, [...counts.keys()]))
    .orderBy(asc(licenseGrants.id))
    .for('update')
  for (const grant of grants) {
    const n = counts.get(grant.id) ?? 0
    await addLedgerEntry(
      ctx,
      grant,
      { used: grant.used - n },
      { kind: LEDGER_KIND.returnQuota, reason: `${reason}，${n}个` },
    )
  }
}
