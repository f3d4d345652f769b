import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { playbackApp as calls } from '@oms/contract/storage/app.ts'
import { and, desc, eq, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { notFound } from '#core/http/api-error.ts'
import type { PublicCtx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { ossConsents, ossViews } from '../schema-playback.ts'
import { type AppUser, authenticateAppUser, runAsAppUser, requireOwnDevice } from '../video/app-user.ts'
import { addRangeProblems, publishConsents } from './consent.ts'

const MAX_CONSENTS = 200

const milliseconds = (column: PgColumn): SQL<number> => sql<number>`floor(extract(epoch from ${column}) * 1000)::float8`
const momentOf = (ms: number) => new Date(ms).toISOString()

const ownConsents = ({ uid, tenantId }: AppUser) =>
  and(eq(ossConsents.appAccountId, uid), eq(ossConsents.tenantId, tenantId))

/** Lists the consents of the App's user, newest first, including those that staff recorded. */
export const listAppConsents = (ctx: PublicCtx) =>
  runAsAppUser(ctx, async (db, user) => ({
    list: await db
      .select({
        id: ossConsents.id,
        sn: ossConsents.sn,
        begin: milliseconds(ossConsents.rangeBegin),
        end: milliseconds(ossConsents.rangeEnd),
        validUntil: milliseconds(ossConsents.validUntil),
        withdrawn: sql<boolean>`${ossConsents.withdrawTime} is not null`,
      })
      .from(ossConsents)
      .where(ownConsents(user))
      .orderBy(desc(ossConsents.id))
      .limit(MAX_CONSENTS),
  }))

/** Permits staff to view recordings of a range. */
export async function createAppConsent(ctx: PublicCtx, { sn, note, ...range }: ParsedOf<typeof calls.consent>) {
  const user = await authenticateAppUser(ctx)
  const problems = new FieldProblems()
  addRangeProblems(problems, range, ctx.now.getTime(), { end: 'end', validUntil: 'validUntil' })
  const device = (await problems.collect(() => requireOwnDevice(ctx.db, user, sn)))!
  problems.throwIfAny()
  const [made] = await ctx.db
    .insert(ossConsents)
    .values({
      tenantId: user.tenantId,
      deviceId: device.id,
      sn: device.sn,
      appAccountId: user.uid,
      source: 1,
      note: note ?? '',
      rangeBegin: momentOf(range.begin),
      rangeEnd: momentOf(range.end),
      validUntil: momentOf(range.validUntil),
      operName: user.account.slice(0, 30),
    })
    .returning({ id: ossConsents.id })
  logConsent(ctx, user, made!.id, `授权查看设备 ${sn} 的录像`)
  await publishConsents(ctx, user.tenantId, made!.id)
  return { id: made!.id }
}

/** Withdraws a consent of the App's user. Open views by staff end within a second. */
export async function withdrawAppConsent(ctx: PublicCtx, { id }: ParsedOf<typeof calls.withdraw>) {
  const user = await authenticateAppUser(ctx)
  const [done] = await ctx.db
    .update(ossConsents)
    .set({ withdrawTime: sql`now()` as unknown as string })
    .where(and(eq(ossConsents.id, id), ownConsents(user), isNull(ossConsents.withdrawTime)))
    .returning({ sn: ossConsents.sn })
  if (!done) throw notFound('有效的授权')
  logConsent(ctx, user, id, `撤回设备 ${done.sn} 的录像查看授权`)
  await publishConsents(ctx, user.tenantId, id)
  return null
}

const logConsent = (ctx: PublicCtx, { tenantId, account }: AppUser, id: number, action: string) =>
  ctx.audit({
    actor: { tenantId, name: account },
    bizType: 'storageConsent',
    bizId: id,
    action: `App账号「${account}」${action}`,
  })

/** Lists the views of the user's recordings by staff, newest first. */
export const listAppViews = (ctx: PublicCtx, { beforeId, pageSize }: ParsedOf<typeof calls.views>) =>
  runAsAppUser(ctx, async (db, user) => ({
    list: await db
      .select({
        id: ossViews.id,
        sn: ossViews.sn,
        channel: ossViews.channel,
        begin: ossViews.beginMs,
        end: ossViews.endMs,
        reason: ossViews.reason,
        operName: ossViews.operName,
        time: milliseconds(ossViews.createTime),
      })
      .from(ossViews)
      .where(
        and(
          eq(ossViews.appAccountId, user.uid),
          eq(ossViews.tenantId, user.tenantId),
          beforeId === undefined ? undefined : lt(ossViews.id, beforeId),
        ),
      )
      .orderBy(desc(ossViews.id))
      .limit(pageSize),
  }))
