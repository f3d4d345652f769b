import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type storageDeviceVideos as calls, MAY_RECORD_TEXT } from '@oms/contract/storage/device-video.ts'
import { RECORDING_TYPE } from '@oms/contract/storage/package.ts'
import { and, eq, gte, lte, sql } from 'drizzle-orm'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { lastDayOfMonth, formatLocalDay, formatLocalTime } from '#core/time/zone.ts'
import { findDevice } from '#modules/device/device-filter.ts'
import { devices } from '#modules/device/schema.ts'
import { ossDeviceDays, ossDeviceStatus } from './schema-video.ts'
import {
  explainPermit,
  type PermitFacts,
  REFUSAL_REASONS,
  type RefusalReason,
  createSampleRecording,
} from './video/permit-rules.ts'

async function deviceIdOf(ctx: Ctx, sn: string): Promise<number> {
  const found = await findDevice(ctx, eq(devices.sn, sn))
  if (!found) throw notFound('设备')
  return found.id
}

/** Returns every rule of a permit for a recording that starts now, by the code that the responses to cameras use. */
export async function explainPermitForDevice(ctx: Ctx, { sn, channel }: ParsedOf<typeof calls.why>) {
  const { services, db } = ctx
  const deviceId = await deviceIdOf(ctx, sn)
  await services.fleet.sync()
  const now = ctx.now.getTime()
  const slot = services.fleet.slots.slotOf(deviceId)
  await services.videos.loadDayLimits(slot, channel, [now], now)
  const facts = services.videos.factsAt(slot, channel, now, now)
  const rules = explainPermit(facts, createSampleRecording(now), now)
  const [status] = await db
    .select()
    .from(ossDeviceStatus)
    .where(and(eq(ossDeviceStatus.deviceId, deviceId), eq(ossDeviceStatus.channel, channel)))
  const first = rules.find(({ isFirst }) => isFirst)
  return {
    sn,
    channel,
    refusal: first ? first.text : '',
    rules: rules.map(({ reason, isPassed }) => ({
      reason,
      passed: isPassed === null ? null : Number(isPassed),
      value: valueOf(reason, facts, services.config.timeZone),
    })),
    askTime: status?.askTime ?? null,
    answer: answerText(status?.answer ?? ''),
    uploadTime: status?.uploadTime ?? null,
    troubleTime: status?.troubleTime ?? null,
    trouble: [status?.troubleCode, status?.troubleText].filter(Boolean).join(' '),
  }
}

const answerText = (answer: string) =>
  answer === 'recording' ? MAY_RECORD_TEXT : (REFUSAL_REASONS[answer as RefusalReason] ?? '')

/** Formats the values that a permit rule compares, by the reason of the rule. Rules without values are absent. */
const VALUES: Readonly<
  Partial<Record<RefusalReason, (facts: PermitFacts, timeOf: (seconds: number) => string) => string>>
> = {
  model: ({ cloudChannels }) => (cloudChannels > 0 ? `支持 ${cloudChannels} 个通道` : '不支持'),
  channel: ({ channel, cloudChannels }) => `通道 ${channel}，型号支持 ${cloudChannels} 个`,
  waiting: ({ span, firstFromMs }, timeOf) =>
    span ? `${timeOf(span.from)} 开始` : firstFromMs === null ? '' : `${timeOf(firstFromMs / 1000)} 开始`,
  expired: ({ span }, timeOf) => (span ? `${timeOf(span.to)} 到期` : ''),
  old: ({ span }) => (span ? `保存 ${span.terms.storageDays} 天` : ''),
  kind: ({ span }) => (span ? RECORDING_TYPE[span.terms.recordType as keyof typeof RECORDING_TYPE] : ''),
  event: ({ span }) => {
    if (!span || span.terms.recordType === 1 || span.terms.eventRecord === 0) return ''
    const { preRecord, eventRecord, prolong } = span.terms
    return prolong ? '事件持续时可延长' : `单次不超过 ${preRecord + eventRecord} 秒`
  },
  day: ({ span, bytesToday }) =>
    span && span.terms.dayLimitMb > 0
      ? `今日 ${(bytesToday / 1_048_576).toFixed(1)} MB，上限 ${span.terms.dayLimitMb} MB`
      : '',
}

const valueOf = (reason: RefusalReason, facts: PermitFacts, zone: string) =>
  VALUES[reason]?.(facts, (seconds) => formatLocalTime(seconds * 1000, zone)) ?? ''

/** Returns the uploads of each day of a month. Days without uploads are absent. */
export async function getDeviceUsage(ctx: Ctx, { sn, channel, month }: ParsedOf<typeof calls.usage>) {
  const { db, user, services } = ctx
  const deviceId = await deviceIdOf(ctx, sn)
  const today = formatLocalDay(ctx.now, services.config.timeZone)
  const days = await db
    .select({
      day: ossDeviceDays.day,
      segments: sql<number>`sum(${ossDeviceDays.segments})::int`,
      events: sql<number>`sum(${ossDeviceDays.events})::int`,
      seconds: sql<number>`(sum(${ossDeviceDays.durationMs}) / 1000)::int`,
      bytes: sql<number>`sum(${ossDeviceDays.bytes})::bigint`,
      hasVideo: sql<number>`max(case when ${today}::date < any(${ossDeviceDays.expireDays}) then 1 else 0 end)`,
    })
    .from(ossDeviceDays)
    .where(
      and(
        eq(ossDeviceDays.deviceId, deviceId),
        eq(ossDeviceDays.channel, channel),
        gte(ossDeviceDays.day, `${month}-01`),
        lte(ossDeviceDays.day, lastDayOfMonth(month)),
        scoped(user, { tenant: ossDeviceDays.tenantId }),
      ),
    )
    .groupBy(ossDeviceDays.day)
    .orderBy(ossDeviceDays.day)
  return { month, days }
}
