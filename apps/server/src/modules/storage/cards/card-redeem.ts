import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageCards as calls } from '@oms/contract/storage/card.ts'
import { eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { ossCardAttempts, ossCardBatches, ossCards } from '../schema-sales.ts'
import { ApiError, invalid, tooMany } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import type { QueueEffect } from '../queue.ts'
import { reserveIds } from '../queue-save.ts'
import { createCardHasher, parseCardCode } from './card-code.ts'
import {
  readDevicesBySn,
  prepareEntitlements,
  findTargetProblem,
  findTenantProblems,
} from '../entitlements/open-prepare.ts'
import { publishEntitlementsChanged, storePreparedEntitlements } from '../entitlements/open.ts'
import { readTermsByVersion } from '../orders/order-record.ts'

type Input = ParsedOf<typeof calls.redeem>

const BY_CARD = 3
const WRONG = '卡密无效或已使用'
/** Wrong codes of an account in 15 minutes, and of an address in an hour, before further codes are refused. */
const ACCOUNT_LIMIT = { count: 5, minutes: 15 }
const ADDRESS_LIMIT = { count: 20, minutes: 60 }
/** First key of the advisory lock that serialises the attempts of one account; the second key is the account. */
const ATTEMPT_LOCK = 7_302_516

const wrongCode = () => invalid(WRONG, 'code')

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
      if (!(error instanceof ApiError) || error.message !== WRONG) throw error
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
