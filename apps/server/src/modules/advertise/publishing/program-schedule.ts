import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { runAsActor, createPlatformUser } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { addDays, parseLocalTime, isoWeekday } from '#core/time/zone.ts'
import { refreshAdUses } from '../ad-uses.ts'
import { adPrograms, adProgramVersions, type ProgramBody } from '../schema.ts'
import { markDelivered } from './program-delivered.ts'
import { PROGRAM_BIZ_TYPE, publishProgramChanged } from '../programs/program-save.ts'
import { replaceVersionInForce } from './version-rows.ts'

const JOB = 'ad-programs'
const ALIVE: number[] = [PROGRAM_STATUS.delivering, PROGRAM_STATUS.paused]

/** Returns the instant at which the last daypart of a program ends in a zone. */
export function computeProgramEnd({ dateTo, weekdays, dayParts }: ProgramBody, zone: string): number {
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
      await publishProgramChanged(ctx, tenantId)
    },
  )

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
