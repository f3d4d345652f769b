import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { playbackApp } from '@oms/contract/storage/app.ts'
import type { CONSENT_STATE, playbackConsents as calls } from '@oms/contract/storage/consent.ts'
import { and, eq, isNull, type SQL, sql, desc, lt } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, User, PublicCtx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { parseLocalTime } from '#core/time/zone.ts'
import { findDevice, scopedByDevice } from '#modules/device/device-filter.ts'
import { devices } from '#modules/device/schema.ts'
import { ossConsents, ossViews } from '../schema-playback.ts'
import { type AppUser, authenticateAppUser, runAsAppUser, requireOwnDevice } from './app-key.ts'

/** Longest time for which a consent is valid. */
const MAX_VALID_DAYS = 90
const KIND = 'storageConsent'
const FILE_ID_LENGTH = 32
const MAX_CONSENTS = 200

const visibleConsents = (user: User) =>
  scopedByDevice(user, { tenant: ossConsents.tenantId, device: ossConsents.deviceId })
const isState: Record<keyof typeof CONSENT_STATE, SQL> = {
  1: sql`${ossConsents.withdrawTime} is null and ${ossConsents.validUntil} > now()`,
  2: sql`${ossConsents.withdrawTime} is null and ${ossConsents.validUntil} <= now()`,
  3: sql`${ossConsents.withdrawTime} is not null`,
}

const stateOf = sql<number>`case when ${isState[3]} then 3 when ${isState[2]} then 2 else 1 end`

export function listConsents({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const query = db
    .select({
      id: ossConsents.id,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      deviceId: ossConsents.deviceId,
      sn: ossConsents.sn,
      source: ossConsents.source,
      state: stateOf,
      rangeBegin: ossConsents.rangeBegin,
      rangeEnd: ossConsents.rangeEnd,
      validUntil: ossConsents.validUntil,
      fileId: ossConsents.fileId,
      fileName: sql<string>`coalesce(${files.name}, '')`,
      note: ossConsents.note,
      uid: ossConsents.uid,
      operName: ossConsents.operName,
      createTime: ossConsents.createTime,
    })
    .from(ossConsents)
    .leftJoin(tenants, eq(tenants.id, ossConsents.tenantId))
    .leftJoin(files, eq(files.id, ossConsents.fileId))
    .where(
      and(
        visibleConsents(user),
        contains(ossConsents.sn, input.sn),
        input.deviceId === undefined ? undefined : eq(ossConsents.deviceId, input.deviceId),
        input.tenantId === undefined ? undefined : eq(ossConsents.tenantId, input.tenantId),
        input.source === undefined ? undefined : eq(ossConsents.source, input.source),
        input.state === undefined ? undefined : isState[input.state],
        ...within(ossConsents.createTime, input.beginTime, input.endTime),
      ),
    )
    .$dynamic()
  const sort = { createTime: ossConsents.createTime, validUntil: ossConsents.validUntil }
  return paginate(db, query, input, buildSort(input, sort, ossConsents.id))
}

interface Range {
  readonly begin: number
  readonly end: number
  readonly validUntil: number
}

/**
 * Adds the problems of an impossible range of a consent; times are milliseconds. `fields` maps the times to form fields.
 */
function addRangeProblems(
  problems: FieldProblems,
  { begin, end, validUntil }: Range,
  now: number,
  fields: { readonly end: string; readonly validUntil: string },
) {
  if (end <= begin) problems.add(fields.end, '录像结束时间应晚于开始时间')
  if (validUntil <= now) problems.add(fields.validUntil, '授权有效期应晚于当前时间')
  if (validUntil > now + MAX_VALID_DAYS * 86_400_000)
    problems.add(fields.validUntil, `授权有效期不能超过 ${MAX_VALID_DAYS} 天`)
}

/**
 * Marks the uploaded document as used by the consent, and assigns it to the tenant of the device. Only the account that
 * uploaded a document may record a consent with it.
 */
async function claimDocument(db: Db, user: User, { fileId, tenantId }: { fileId: string; tenantId: number }) {
  const [taken] = await db
    .update(files)
    .set({ tenantId, usedTime: sql`now()` as unknown as string })
    .where(and(eq(files.id, fileId), eq(files.uid, user.uid), eq(files.purpose, 'consent'), isNull(files.usedTime)))
    .returning({ id: files.id })
  if (!taken) throw invalid('授权文件不存在或已使用，请重新上传', 'document')
}

async function requireDevice(ctx: Ctx, sn: string) {
  const device = await findDevice(ctx, eq(devices.sn, sn))
  if (!device) throw invalid('设备不存在或已被删除', 'sn')
  return device
}

/** Returns the device and the document of a consent. Throws one error with the problems of all fields. */
async function checkConsent(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { db, user, now } = ctx
  const problems = new FieldProblems()
  const device = await problems.collect(() => requireDevice(ctx, input.sn))
  const ms = (text: string) => parseLocalTime(text, ctx.services.config.timeZone)
  const range = { begin: ms(input.rangeBegin), end: ms(input.rangeEnd), validUntil: ms(input.validUntil) }
  addRangeProblems(problems, range, now.getTime(), { end: 'rangeEnd', validUntil: 'validUntil' })
  const fileId = input.document.slice(-FILE_ID_LENGTH)
  const tenantId = device?.tenantId ?? user.tenantId ?? PLATFORM_TENANT_ID
  await problems.collect(() => claimDocument(db, user, { fileId, tenantId }))
  problems.throwIfAny()
  return { device: device!, fileId }
}

/** Records the written consent of a device's owner. */
export async function createConsent(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const { device, fileId } = await checkConsent(ctx, input)
  const { document: _document, ...facts } = input
  const [made] = await db
    .insert(ossConsents)
    .values({
      ...facts,
      fileId,
      tenantId: device.tenantId,
      deviceId: device.id,
      appAccountId: device.appAccountId,
      source: 2,
      uid: user.uid,
      operName: user.realname || user.account,
    })
    .returning({ id: ossConsents.id })
  ctx.audit({ bizType: KIND, bizId: made!.id, action: `登记设备 ${input.sn} 的录像查看授权` })
  await publishConsents(ctx, device.tenantId, made!.id)
  return { id: made!.id }
}

/** Withdraws a consent. Open playlists that use it end within a second. */
export async function withdrawConsent(ctx: Ctx, { id }: ParsedOf<typeof calls.withdraw>) {
  const { db, user } = ctx
  const [done] = await db
    .update(ossConsents)
    .set({ withdrawTime: sql`now()` as unknown as string })
    .where(and(eq(ossConsents.id, id), visibleConsents(user), isNull(ossConsents.withdrawTime)))
    .returning({ sn: ossConsents.sn, tenantId: ossConsents.tenantId })
  if (!done) throw notFound('有效的授权')
  ctx.audit({ bizType: KIND, bizId: id, action: `撤回设备 ${done.sn} 的录像查看授权` })
  await publishConsents(ctx, done.tenantId, id)
  return null
}

/** Publishes the change of a consent: lists reload, and all processes clear their cached consents. */
async function publishConsents({ services, db }: Pick<Ctx, 'services' | 'db'>, tenantId: number, id: number) {
  await services.events.publish(db, 'changed', { resource: 'oss', tenantId })
  await services.events.publish(db, 'consent', { id })
}

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
export async function createAppConsent(ctx: PublicCtx, { sn, note, ...range }: ParsedOf<typeof playbackApp.consent>) {
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
export async function withdrawAppConsent(ctx: PublicCtx, { id }: ParsedOf<typeof playbackApp.withdraw>) {
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
export const listAppViews = (ctx: PublicCtx, { beforeId, pageSize }: ParsedOf<typeof playbackApp.views>) =>
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
