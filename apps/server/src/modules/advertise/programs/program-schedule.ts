import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { and, eq, inArray, sql, gt, isNull, ne } from 'drizzle-orm'
import { runAsActor, createPlatformUser } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { addDays, parseLocalTime, isoWeekday } from '#core/time/zone.ts'
import { publishAdvertisingChange } from '../content.ts'
import { adScreens } from '../schema-screen.ts'
import { adPrograms, adProgramVersions, type ProgramBody } from '../schema.ts'
import { DELIVERY_STATE, computeDeliveryState } from '../screens/screen-states.ts'
import { replaceVersionInForce } from './program-publish.ts'
import { refreshAdUses, PROGRAM_BIZ_TYPE } from './program-save.ts'

const JOB = 'ad-programs'
/** Screens that reported within this time count. */
const HEARD_MS = 3_600_000
/** Percentage of the recently reporting screens that must have the version. */
const DELIVERED_PERCENT = 99
const ALIVE: number[] = [PROGRAM_STATUS.delivering, PROGRAM_STATUS.paused]
const FACTS = { ip: '127.0.0.1', userAgent: 'oms' }
const ACT = {
  name: 'end',
  method: 'POST',
  path: '/api/v1/advertise/program/end',
  title: '结束节目单',
  kind: 'edit',
  input: {},
} as const

/** Registers the job that ends programs and marks delivered ones. */
export function registerProgramSchedule(services: Services) {
  const work = async () => ({
    ...(await endPrograms(services, services.now())),
    delivered: await markDelivered(services, services.now()),
  })
  services.jobs.schedule(JOB, work, { title: '节目单状态', cron: '0 * * * * *', timeLimitSeconds: 300 })
}

/** Returns the instant at which the last daypart of a program ends in a zone. */
function computeProgramEnd({ dateTo, weekdays, dayParts }: ProgramBody, zone: string): number {
  const crossing = dayParts.filter(({ start, end }) => end < start).map(({ end }) => end)
  const isDue = ((weekdays >> (isoWeekday(dateTo) - 1)) & 1) === 1
  const last = isDue ? (crossing.toSorted().at(-1) ?? '00:00') : '00:00'
  return parseLocalTime(`${addDays(dateTo)} ${last}:00`, zone)
}

/** Ends every program whose last daypart is over in the zones of all screens. */
export async function endPrograms(services: Services, now: Date) {
  const { db } = services.database
  const zones = await zonesOf(db, services.config.timeZone)
  const running = await db
    .select({ id: adPrograms.id, tenantId: adPrograms.tenantId, body: adProgramVersions.body })
    .from(adPrograms)
    .innerJoin(
      adProgramVersions,
      and(eq(adProgramVersions.programId, adPrograms.id), eq(adProgramVersions.verNo, adPrograms.publishedVer)),
    )
    .where(
      and(
        inArray(adPrograms.status, ALIVE),
        sql`${adPrograms.deletedAt} is null`,
        sql`${adProgramVersions.body}->>'dateTo' <= ${addDays(now.toISOString().slice(0, 10))}`,
      ),
    )
  const over = running.filter(({ body }) => zones.every((zone) => computeProgramEnd(body, zone) <= now.getTime()))
  const isolation = { log: services.log, kind: JOB, name: ({ id }: { id: number }) => ({ programId: id }) }
  const { done, failed } = await forEachIsolated(over, isolation, (program) => end(services, program, now))
  return { ended: done, failedItems: failed.length }
}

/** Returns the time zones of all screens. */
async function zonesOf(db: Db, standard: string): Promise<string[]> {
  const { rows } = await db.execute<{ zone: string }>(
    sql`select distinct time_zone as zone from ad_screens where time_zone <> ''`,
  )
  return [...new Set([standard, ...rows.map(({ zone }) => zone)])]
}

interface Running {
  readonly id: number
  readonly tenantId: number
  readonly body: ProgramBody
}

/** Ends one program and writes the operation log. Skips a program that was published again in the meantime. */
const end = (services: Services, { id, tenantId, body }: Running, now: Date) =>
  runAsActor(
    services,
    { user: createPlatformUser({ account: 'system', realname: '系统', tenantId }), facts: FACTS, now },
    ACT,
    async (ctx) => {
      const { db } = ctx
      const ended = await db
        .update(adPrograms)
        .set({
          status: PROGRAM_STATUS.ended,
          publishedVer: 0,
          rev: sql`${adPrograms.rev} + 1`,
          updateTime: now.toISOString(),
        })
        .where(and(eq(adPrograms.id, id), eq(adPrograms.publishedVer, body.verNo), inArray(adPrograms.status, ALIVE)))
        .returning({ id: adPrograms.id })
      ctx.audit({ bizType: PROGRAM_BIZ_TYPE, bizId: id, action: `节目单「${body.name}」投放结束` })
      if (ended.length === 0) return
      await replaceVersionInForce(db, id, 0)
      await refreshAdUses(db, id)
      await publishAdvertisingChange(ctx, tenantId)
    },
  )

interface Pending {
  readonly id: number
  readonly tenantId: number
  readonly ver: number
  /** Number of screens that reported recently. `ready`: those of them that have the version and all files. */
  heard: number
  ready: number
}

/**
 * Marks each program as delivered whose version in force nearly all of its screens have. Returns the number of these
 * programs.
 */
export async function markDelivered(services: Services, now: Date): Promise<number> {
  const { db } = services.database
  const pending = await pendingPrograms(services)
  if (pending.size === 0) return 0
  await countReady(services, pending, now)
  const delivered = [...pending.values()].filter(
    ({ heard, ready }) => heard > 0 && ready * 100 >= heard * DELIVERED_PERCENT,
  )
  for (const { id, tenantId, ver } of delivered) {
    await db
      .update(adPrograms)
      .set({ deliveredVer: ver })
      .where(and(eq(adPrograms.id, id), eq(adPrograms.publishedVer, ver)))
    await publishAdvertisingChange({ services, db }, tenantId)
  }
  return delivered.length
}

/** Returns the published programs that are not delivered yet and that the ad index of this process has loaded. */
async function pendingPrograms({ database, fleet, adDelivery }: Services) {
  const rows = await database.db
    .select({ id: adPrograms.id, tenantId: adPrograms.tenantId, ver: adPrograms.publishedVer })
    .from(adPrograms)
    .where(
      and(
        isNull(adPrograms.deletedAt),
        eq(adPrograms.status, PROGRAM_STATUS.delivering),
        gt(adPrograms.publishedVer, 0),
        ne(adPrograms.deliveredVer, adPrograms.publishedVer),
      ),
    )
  if (rows.length > 0) await fleet.ready()
  const { programs } = adDelivery.index
  const loaded = rows.filter(({ id, ver }) => programs.get(id)?.body.verNo === ver)
  return new Map<number, Pending>(loaded.map((row) => [row.id, { ...row, heard: 0, ready: 0 }]))
}

async function countReady({ database, fleet, adDelivery, config }: Services, pending: Map<number, Pending>, now: Date) {
  const heardAfter = new Date(now.getTime() - HEARD_MS).toISOString()
  const screens = await database.db
    .select({
      deviceId: adScreens.deviceId,
      playerKind: adScreens.playerKind,
      appliedEtag: adScreens.appliedEtag,
      readyFiles: adScreens.readyFiles,
      totalFiles: adScreens.totalFiles,
      failed: adScreens.failed,
      lastReportMs: sql<number>`extract(epoch from ${adScreens.lastReportTime})::float8 * 1000`,
    })
    .from(adScreens)
    .where(gt(adScreens.lastReportTime, heardAfter))
  for (const { deviceId, ...screen } of screens) {
    const slot = fleet.slots.slotOf(deviceId)
    const own = slot < 0 ? [] : adDelivery.index.setOf(slot).programs.flatMap((id) => pending.get(id) ?? [])
    if (own.length === 0) continue
    const { etag, left } = adDelivery.index.manifestOf(slot)
    const isReady =
      computeDeliveryState({ ...screen, etag }, now.getTime(), config.ads.pollSeconds) === DELIVERY_STATE.ready
    for (const program of own) {
      program.heard += 1
      if (isReady && !left.includes(program.id)) program.ready += 1
    }
  }
}
