import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { CARD_FILE_HOURS, type storageCards as calls } from '@oms/contract/storage/card.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { decrypt, encrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { among, contains, paginate } from '#core/database/lists/list-query.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { PLATFORM_TENANT_ID, scoped, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { accounts } from '#core/schema/account.ts'
import { ossCardBatches, ossCards } from '../schema-sales.ts'
import { createCardHasher, formatCardCode, createCardCode } from './card-code.ts'
import { markTermsSold, publishEntitlementsChanged } from '../entitlements/open.ts'
import { readTermsOnSale } from '../entitlements/open-prepare.ts'
import { buildCardInScopeCondition } from '../sales-scope.ts'

const KIND = 'storageCardBatch'
const FILE_MS = CARD_FILE_HOURS * 3_600_000

const visibleBatches = (user: User) =>
  scoped(user, { tenant: ossCardBatches.tenantId, creator: ossCardBatches.createBy })

const countOf = (user: User, state: number) =>
  sql<number>`(select count(*)::int from ${ossCards} where ${and(
    eq(ossCards.batchId, ossCardBatches.id),
    eq(ossCards.state, state),
    buildCardInScopeCondition(user),
  )})`

/** Batches whose file can still be downloaded by this account. */
const hasFile = ({ user, now }: Pick<Ctx, 'user' | 'now'>) =>
  sql<boolean>`(${ossCardBatches.fileEncrypted} <> '' and ${ossCardBatches.createBy} is not distinct from ${user.uid}
    and ${ossCardBatches.createTime} > ${new Date(now.getTime() - FILE_MS).toISOString()}::timestamptz)`

export function listBatches(ctx: Ctx, { batchNo, packageId, ...page }: ParsedOf<typeof calls.batches>) {
  const { db, user } = ctx
  const rows = db
    .select({
      id: ossCardBatches.id,
      batchNo: ossCardBatches.batchNo,
      packageName: ossCardBatches.packageName,
      count: ossCardBatches.count,
      used: countOf(user, 1).as('used'),
      voided: countOf(user, 2).as('voided'),
      unitAmount: ossCardBatches.unitAmount,
      validTo: ossCardBatches.validTo,
      remark: ossCardBatches.remark,
      createName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('create_name'),
      createTime: ossCardBatches.createTime,
      exportedTime: ossCardBatches.exportedTime,
      hasFile: hasFile(ctx).as('has_file'),
    })
    .from(ossCardBatches)
    .leftJoin(accounts, eq(accounts.uid, ossCardBatches.createBy))
    .where(
      and(
        visibleBatches(user),
        contains(ossCardBatches.batchNo, batchNo),
        packageId === undefined ? undefined : eq(ossCardBatches.packageId, packageId),
      ),
    )
  return paginate(db, rows.$dynamic(), page, [desc(ossCardBatches.id)])
}

/** State of a card: an unused card is expired after the last day of its batch. */
const cardState = sql<number>`case when ${ossCards.state} = 0 and ${ossCardBatches.validTo} < current_date then 3
  else ${ossCards.state} end`

export function listCards({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const { batchId, batchNo, tail, sn, state, ...page } = input
  const rows = db
    .select({
      id: ossCards.id,
      batchNo: ossCardBatches.batchNo,
      tail: ossCards.tail,
      packageName: ossCardBatches.packageName,
      state: cardState.as('card_state'),
      validTo: ossCardBatches.validTo,
      sn: ossCards.sn,
      usedName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('used_name'),
      usedTime: ossCards.usedTime,
    })
    .from(ossCards)
    .innerJoin(ossCardBatches, eq(ossCardBatches.id, ossCards.batchId))
    .leftJoin(accounts, eq(accounts.uid, ossCards.usedBy))
    .where(
      and(
        visibleBatches(user),
        buildCardInScopeCondition(user),
        batchId === undefined ? undefined : eq(ossCards.batchId, batchId),
        contains(ossCardBatches.batchNo, batchNo),
        contains(ossCards.tail, tail),
        contains(ossCards.sn, sn),
        state === undefined ? undefined : sql`${cardState} = ${state}`,
      ),
    )
  return paginate(db, rows.$dynamic(), page, [desc(ossCards.id)])
}

async function insertCards(db: Db, batchId: number, codes: readonly string[], secretKey: Buffer) {
  const hash = createCardHasher(secretKey)
  const rows = codes.map((code) => ({ hash: hash(code).toString('hex'), tail: code.slice(-4) }))
  await db.execute(sql`insert into oss_cards (batch_id, tenant_id, code_hash, tail)
    select ${batchId}, ${PLATFORM_TENANT_ID}, decode(x.hash, 'hex'), x.tail
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(hash text, tail text)`)
}

/** Returns the terms of the package and the number of a new batch. */
async function checkBatch(ctx: Ctx, { packageId, validTo }: ParsedOf<typeof calls.create>) {
  const { rows } = await ctx.db.execute<{
    past: boolean
    no: string
  }>(sql`select ${validTo}::date < current_date as past,
    'KB' || to_char(now(), 'YYYYMMDD') || lpad((nextval('oss_card_batch_no') % 1000000)::text, 6, '0') as no`)
  const { past, no: batchNo } = rows[0]!
  const problems = new FieldProblems()
  const terms = await problems.collect(() => readTermsOnSale(ctx, packageId))
  if (terms?.isTrial === 1) problems.add('packageId', '试用套餐不能生成卡密')
  if (past) problems.add('validTo', '有效期不能早于今天')
  problems.throwIfAny()
  return { terms: terms!, batchNo }
}

/** Creates a batch of cards. The codes exist only in the encrypted file for the account that created the batch. */
export async function createCards(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { db, user, now, services } = ctx
  const { packageId, count, unitAmount, validTo, remark } = input
  const { terms, batchNo } = await checkBatch(ctx, input)
  const codes = [...new Set(Array.from({ length: count }, createCardCode))]
  const { secretKey } = services.config
  const facts = { batchNo, packageId, unitAmount, validTo, remark, count: codes.length }
  const [made] = await db
    .insert(ossCardBatches)
    .values({
      ...facts,
      tenantId: PLATFORM_TENANT_ID,
      packageVersionId: terms.id,
      packageName: terms.packageName,
      fileEncrypted: encrypt(secretKey, codes.join('\n')),
      createBy: user.uid,
      createTime: now.toISOString(),
    })
    .returning({ id: ossCardBatches.id })
  const id = made!.id
  await insertCards(db, id, codes, secretKey)
  if (terms.isSold === 0) await markTermsSold(db, [terms.id])
  const action = `生成套餐「${terms.packageName}」的卡密${codes.length}张，批次 ${batchNo}`
  ctx.audit({ bizType: KIND, bizId: id, action })
  await publishEntitlementsChanged(ctx)
  return { id, batchNo }
}

async function lockBatch({ db, user }: Ctx, id: number) {
  const [found] = await db
    .select()
    .from(ossCardBatches)
    .where(and(eq(ossCardBatches.id, id), visibleBatches(user)))
    .for('update')
  if (!found) throw notFound('卡密批次')
  return found
}

/** Voids unused cards of a batch. Used cards stay as they are. */
export async function voidCards(ctx: Ctx, { batchId, ids, reason }: ParsedOf<typeof calls.void>) {
  const { db } = ctx
  const { batchNo } = await lockBatch(ctx, batchId)
  const voided = await db
    .update(ossCards)
    .set({ state: 2 })
    .where(and(eq(ossCards.batchId, batchId), eq(ossCards.state, 0), ids ? among(ossCards.id, ids) : undefined))
    .returning({ id: ossCards.id })
  if (voided.length === 0) throw invalid('没有可以作废的卡密')
  // A batch without usable cards needs no file.
  if (!ids) await db.update(ossCardBatches).set({ fileEncrypted: '' }).where(eq(ossCardBatches.id, batchId))
  const action = `作废批次 ${batchNo} 的卡密${voided.length}张，原因：${reason}`
  ctx.audit({ bizType: KIND, bizId: batchId, action })
  await publishEntitlementsChanged(ctx)
  return { count: voided.length }
}

/** Takes the codes of a batch: decrypts and destroys its file. */
async function takeFile(ctx: Ctx, batchId: number) {
  const { db, now, services } = ctx
  const batch = await lockBatch(ctx, batchId)
  const [open] = await db
    .select({ isOpen: hasFile(ctx) })
    .from(ossCardBatches)
    .where(eq(ossCardBatches.id, batchId))
  if (!open?.isOpen) throw refused('卡密文件已下载或已过期，不能再次下载')
  await db
    .update(ossCardBatches)
    .set({ fileEncrypted: '', exportedTime: now.toISOString() })
    .where(eq(ossCardBatches.id, batchId))
  ctx.audit({ bizType: KIND, bizId: batchId, action: `下载批次 ${batch.batchNo} 的卡密文件` })
  return { batch, codes: decrypt(services.config.secretKey, batch.fileEncrypted).split('\n') }
}

/**
 * Sends the codes of a batch: once, for the account that created the batch, within 24 hours. A HEAD request takes
 * nothing.
 */
export async function sendCardFile(ctx: Ctx, { batchId }: ParsedOf<typeof calls.file>): Promise<StreamResponse> {
  if (ctx.request.method === 'HEAD') return (_request, reply) => reply.send()
  const { batch, codes } = await transactWithOperationLog(ctx, (db) => takeFile({ ...ctx, db }, batchId))
  const rows = codes.map((code) => ({
    code: formatCardCode(code),
    packageName: batch.packageName,
    validTo: batch.validTo,
  }))
  const columns = [
    { key: 'code', title: '卡密', width: 24 },
    { key: 'packageName', title: '套餐', width: 28 },
    { key: 'validTo', title: '有效期至', width: 14 },
  ]
  const name = `云存卡密-${batch.batchNo}`
  return (_request, reply) => sendTable(reply, { name, format: 'csv', columns, rows })
}
