import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { CARD_FILE_HOURS, type storageCards as calls } from '@oms/contract/storage/card.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { decrypt, encrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { among, contains, paginate } from '#core/database/lists/list-query.ts'
import { invalid, notFound, refused, ApiError, tooMany } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import { accounts } from '#core/schema/account.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { PLATFORM_TENANT_ID, scoped, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import {
  readTermsOnSale,
  readDevicesBySn,
  prepareEntitlements,
  findTargetProblem,
  findTenantProblems,
} from '../entitlements/open-prepare.ts'
import { markTermsSold, storePreparedEntitlements } from '../entitlements/open.ts'
import { reserveIds } from '../queue-save.ts'
import { publishEntitlementsChanged } from '../queue-store.ts'
import type { QueueEffect } from '../queue.ts'
import { ossCardBatches, ossCards, ossCardAttempts } from '../schema-sales.ts'
import { readTermsByVersion } from './order-record.ts'
import { buildCardInScopeCondition } from './order.ts'

const KIND = 'storageCardBatch'
const BY_CARD = 3
const WRONG_CARD = '卡密无效或已使用'
/** First key of the advisory lock that serialises the attempts of one account; the second key is the account. */
const ATTEMPT_LOCK = 7_302_516
/** Crockford's alphabet: no I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_LETTERS = 15
const HASH_BYTES = 16
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

type Input = ParsedOf<typeof calls.redeem>
/** Wrong codes of an account in 15 minutes, and of an address in an hour, before further codes are refused. */
const ACCOUNT_LIMIT = { count: 5, minutes: 15 }
const ADDRESS_LIMIT = { count: 20, minutes: 60 }

const wrongCode = () => invalid(WRONG_CARD, 'code')

async function isLimited(ctx: Ctx, db: Db, uid: number) {
  const since = (minutes: number) => new Date(ctx.now.getTime() - minutes * 60_000).toISOString()
  const { rows } = await db.execute<{ account: number; address: number }>(sql`select
    (select count(*)::int from oss_card_attempts
      where uid = ${uid} and create_time > ${since(ACCOUNT_LIMIT.minutes)}::timestamptz) as account,
    (select count(*)::int from oss_card_attempts
      where ip = ${ctx.request.ip} and create_time > ${since(ADDRESS_LIMIT.minutes)}::timestamptz) as address`)
  const { account, address } = rows[0]!
  return account >= ACCOUNT_LIMIT.count || address >= ADDRESS_LIMIT.count
}

/** Returns the card of a code, locked. Unknown, used, void and expired cards have the same message. */
async function usableCard({ db, services }: Ctx, entered: string) {
  const code = parseCardCode(entered)
  if (code === undefined) throw wrongCode()
  const [found] = await db
    .select({ card: ossCards, batch: ossCardBatches, isOver: sql<boolean>`${ossCardBatches.validTo} < current_date` })
    .from(ossCards)
    .innerJoin(ossCardBatches, eq(ossCardBatches.id, ossCards.batchId))
    .where(eq(ossCards.codeHash, createCardHasher(services.config.secretKey)(code)))
    .for('update', { of: ossCards })
  if (!found || found.card.state !== 0 || found.isOver) throw wrongCode()
  return found
}

async function targetOf(ctx: Ctx, { sn, channel }: Input, versionId: number) {
  const target = (await readDevicesBySn(ctx, [sn])).get(sn)
  const terms = (await readTermsByVersion(ctx, [versionId])).get(versionId)!
  const problem =
    findTargetProblem(target, [channel], terms) ?? (await findTenantProblems(ctx, [target!])).get(target!.tenantId)
  if (problem) throw invalid(problem, problem.startsWith('通道') ? 'channel' : 'sn')
  return { target: target!, terms }
}

/** Opens the package of a card on a device, and marks the card as used. */
async function useCard(ctx: Ctx, input: Input) {
  const { db, user, now } = ctx
  const { card, batch } = await usableCard(ctx, input.code)
  const { target, terms } = await targetOf(ctx, input, batch.packageVersionId)
  const effect = input.effectMode as QueueEffect
  const order = { terms, copies: 1, effect, source: BY_CARD, isRenewal: 0, amount: batch.unitAmount }
  const ids = (await reserveIds(db, 2)).values()
  const place = { target, channels: [input.channel] }
  const prepared = await prepareEntitlements(ctx, [place], order, {
    locked: true,
    ids: () => ids.next().value as number,
  })
  const [failed] = prepared.failed
  if (failed) throw invalid(failed.msg, 'sn')
  const { id } = prepared.created[0]!
  await storePreparedEntitlements(ctx, prepared, [terms], `卡密 ${batch.batchNo} 尾号${card.tail}`)
  await db
    .update(ossCards)
    .set({ state: 1, usedBy: user.uid, usedTime: now.toISOString(), sn: target.sn, entitlementId: id })
    .where(eq(ossCards.id, card.id))
  const action = `为「${target.sn}」兑换卡密（批次 ${batch.batchNo}，尾号${card.tail}）`
  ctx.audit({ bizType: 'entitlement', bizId: id, action })
  await ctx.recordIn(ctx.db)
  await publishEntitlementsChanged(ctx)
  return { id }
}

/**
 * Redeems a card, or stores the wrong attempt. Cards belong to the platform, so the transaction has no row-level
 * security; the device is looked up within the caller's scope. Attempts of one account run one after the other, so
 * that every attempt sees the failures before it.
 */
const attempt = (ctx: Ctx, input: Input, uid: number) =>
  ctx.services.database.db.transaction(async (db): Promise<{ id: number } | ApiError> => {
    await db.execute(sql`select pg_advisory_xact_lock(${ATTEMPT_LOCK}, ${uid})`)
    if (await isLimited(ctx, db, uid)) return invalid('输入错误次数过多，请稍后再试', 'code')
    try {
      return await db.transaction((inner) => useCard({ ...ctx, db: inner }, input))
    } catch (error) {
      if (!(error instanceof ApiError) || error.message !== WRONG_CARD) throw error
      await db.insert(ossCardAttempts).values({ uid, ip: ctx.request.ip, createTime: ctx.now.toISOString() })
      return error
    }
  })

/** Limit of simultaneous attempts, so that they leave database connections for other calls. */
const limitAttempts = limitConcurrency(3, 500, () => tooMany(5))

/** Redeems a card. `attemptUid`: the account whose wrong codes are counted. */
export async function redeemCard(ctx: Ctx, input: Input, attemptUid = ctx.user.uid) {
  const outcome = await limitAttempts(() => attempt(ctx, input, attemptUid))
  if (outcome instanceof ApiError) throw outcome
  return outcome
}

/** Returns the check letter of a code: Luhn's algorithm modulo 32, which detects every wrong letter. */
function checkLetter(letters: string): string {
  let sum = 0
  for (const [at, letter] of [...letters].toReversed().entries()) {
    const value = ALPHABET.indexOf(letter) * (at % 2 === 0 ? 2 : 1)
    sum += Math.floor(value / 32) + (value % 32)
  }
  return ALPHABET[(32 - (sum % 32)) % 32]!
}

/** Returns a new code of 75 random bits and a check letter: `7K3M-9QXA-…`, without the hyphens. */
export function createCardCode(): string {
  const letters = Array.from(randomBytes(RANDOM_LETTERS), (byte) => ALPHABET[byte % 32]).join('')
  return letters + checkLetter(letters)
}

/** Returns a code in groups of four letters. */
const formatCardCode = (code: string) => code.match(/.{4}/g)!.join('-')

/** Returns the letters of an entered code, with I, L and O read as digits; undefined for an impossible code. */
export function parseCardCode(entered: string): string | undefined {
  const code = entered.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const isCode = /^[0-9A-HJKMNP-TV-Z]{16}$/.test(code) && checkLetter(code.slice(0, RANDOM_LETTERS)) === code.at(-1)
  return isCode ? code : undefined
}

/** Returns a function that computes the stored hash of a code, with a key of its own. */
function createCardHasher(secretKey: Buffer): (code: string) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', secretKey, 'v1', 'oms storage card', 32))
  return (code) => createHmac('sha256', key).update(code).digest().subarray(0, HASH_BYTES)
}
