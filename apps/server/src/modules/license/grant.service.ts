import { randomInt } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { type licenseGrants as calls, MAX_QUOTA } from '@oms/contract/license-grant.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { deviceModels } from '#db/schema/device.ts'
import { licenseGrants, licenseLedger } from '#db/schema/license.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { Ctx } from '#kernel/context.ts'
import { changes } from '#kernel/mask.ts'
import { forbidden, invalid, notFound, refused } from '#kernel/problem.ts'
import { paginate } from '#kernel/query.ts'
import { checkRevision } from '#kernel/stale.ts'
import { alive, reaches } from '#kernel/tenancy.ts'
import { grantConditions, grantOrder, shownGrants, visibleGrants } from './grant-rows.ts'
import { enter, GRANT, LEDGER, type StoredGrant } from './license-ledger.ts'
import { tellChanged } from './license-rows.ts'

export const list = ({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) =>
  paginate(db, shownGrants(db, user).where(grantConditions(user, input)).$dynamic(), input, grantOrder(input))

export async function get({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [found] = await shownGrants(db, user).where(and(eq(licenseGrants.id, id), visibleGrants(user)))
  if (!found) throw notFound('授权')
  return found
}

export async function ledger({ db, user }: Ctx, { id, ...page }: ParsedOf<typeof calls.ledger>) {
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

/** Applies for a grant: a customer for itself, the vendor's staff for any. */
export async function create(ctx: Ctx, { tenantId, ...input }: ParsedOf<typeof calls.create>) {
  const { db, user, now } = ctx
  const tenant = await applicant(ctx, tenantId ?? user.tenantId)
  const modelId = input.modelId ?? null
  if (modelId !== null && (await db.$count(deviceModels, and(eq(deviceModels.id, modelId), alive(deviceModels)))) === 0)
    throw invalid('型号不存在或已被删除', 'modelId')
  const grantNo = `GR${now.toISOString().slice(2, 10).replaceAll('-', '')}${randomInt(100_000, 1_000_000)}`
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
  await tellChanged(ctx, [tenant.id])
  return { id, grantNo }
}

async function applicant({ db, user }: Ctx, tenantId: number | null) {
  if (tenantId === null) throw invalid('请选择客户', 'tenantId')
  const [tenant] = reaches(user, tenantId)
    ? await db
        .select({ id: tenants.id, name: tenants.name })
        .from(tenants)
        .where(and(eq(tenants.id, tenantId), alive(tenants)))
    : []
  if (!tenant) throw invalid('客户不存在或已被删除', 'tenantId')
  return tenant
}

/** The grant to change, locked; only the vendor's staff decide on grants. */
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

/** Tells the log and the open lists; answers the revision the grant has now. */
async function done(ctx: Ctx, grant: StoredGrant, action: string, next: object = {}) {
  const titles = { quota: '授权数量', validTo: '失效日期', auditRemark: '审批意见' }
  ctx.audit({
    bizType: 'license-grant',
    bizId: grant.id,
    action: `${action} ${grant.grantNo}`,
    diff: changes(grant, next, titles),
  })
  await tellChanged(ctx, [grant.tenantId])
  return { rev: grant.rev + 1 }
}

export async function audit(ctx: Ctx, { id, rev, pass, auditRemark }: ParsedOf<typeof calls.audit>) {
  const { db, user, now } = ctx
  const grant = await forChange(ctx, id, rev)
  if (grant.status !== GRANT.pending) throw refused('该申请已处理')
  if (grant.applyBy === user.uid) throw refused('不能审批自己提交的申请，请由其他人审批')
  if (pass === 1 && (await isPast(ctx, grant.validTo))) throw refused('授权的失效日期已过，请驳回后重新申请')
  const decided = {
    auditBy: user.uid,
    auditName: user.realname || user.account,
    auditTime: now.toISOString(),
    auditRemark,
  }
  await db.update(licenseGrants).set(decided).where(eq(licenseGrants.id, id))
  if (pass === 1)
    await enter(ctx, grant, { status: GRANT.effective }, { kind: LEDGER.issue, reason: auditRemark || '审批通过' })
  else await enter(ctx, grant, { status: GRANT.rejected })
  return done(ctx, grant, pass === 1 ? '通过授权' : `驳回授权（${auditRemark}）`, { auditRemark })
}

export async function renew(ctx: Ctx, { id, rev, validTo, reason }: ParsedOf<typeof calls.renew>) {
  const grant = await forChange(ctx, id, rev)
  assertIssued(grant)
  if (validTo <= grant.validTo) throw invalid('新的失效日期必须晚于原失效日期', 'validTo')
  if (await isPast(ctx, validTo)) throw invalid('失效日期不能早于今天', 'validTo')
  const status = grant.quota > grant.used ? GRANT.effective : GRANT.exhausted
  await enter(ctx, grant, { validTo, status })
  return done(ctx, grant, `续期授权（${reason}）`, { validTo })
}

export async function addQuota(ctx: Ctx, { id, rev, amount, reason }: ParsedOf<typeof calls.addQuota>) {
  const grant = await forChange(ctx, id, rev)
  assertIssued(grant)
  const quota = grant.quota + amount
  if (quota > MAX_QUOTA) throw invalid(`授权数量不能大于${MAX_QUOTA}`, 'amount')
  await enter(ctx, grant, { quota }, { kind: LEDGER.add, reason })
  return done(ctx, grant, `增加授权额度${amount}个（${reason}）`, { quota })
}

function assertIssued({ status }: StoredGrant) {
  if (status === GRANT.pending) throw refused('授权尚未审批')
  if (status === GRANT.revoked || status === GRANT.rejected) throw refused('授权已撤销或驳回，不能修改')
}

/** What is left lapses: the quota ends at what was used. The applicant may withdraw what nobody has decided on yet. */
export async function revoke(ctx: Ctx, { id, rev, reason }: ParsedOf<typeof calls.revoke>) {
  const grant = await forChange(ctx, id, rev, true)
  const isPending = grant.status === GRANT.pending
  if (!isPending && !ctx.user.isPlatform) throw forbidden()
  if (grant.status === GRANT.revoked || grant.status === GRANT.rejected) throw refused('授权已撤销或驳回')
  if (isPending) {
    await enter(ctx, grant, { status: GRANT.revoked, quota: 0 })
    await ctx.db.update(licenseGrants).set({ auditRemark: reason }).where(eq(licenseGrants.id, id))
    return done(ctx, grant, `撤回授权申请（${reason}）`)
  }
  const line = grant.quota > grant.used ? { kind: LEDGER.revoke, reason } : undefined
  await enter(ctx, grant, { status: GRANT.revoked, quota: grant.used }, line)
  return done(ctx, grant, `撤销授权（${reason}）`, { quota: grant.used })
}
