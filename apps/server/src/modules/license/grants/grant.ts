import { randomInt } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type licenseGrants as calls, MAX_QUOTA, OWN_GRANT_MESSAGE } from '@oms/contract/license/license-grant.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { deviceModels } from '#modules/device/schema.ts'
import { licenseGrants, licenseLedger } from '../schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { resolveOwningTenant, requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import { listChanges } from '#core/audit/mask.ts'
import { forbidden, invalid, notFound, refused } from '#core/http/api-error.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { buildGrantFilter, buildGrantSort, selectGrants, visibleGrants } from './grant-rows.ts'
import { addLedgerEntry, GRANT_STATUS_CODE, LEDGER_KIND, type StoredGrant } from '../license-ledger.ts'
import { publishLicensesChanged } from '../license-rows.ts'
import { listKnownTypes } from '../license-types.ts'

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
