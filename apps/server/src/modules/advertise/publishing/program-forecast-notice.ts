import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { createPlatformUser } from '#core/auth/system-actor.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { sendMessage } from '#domain/notices/send-message.ts'
import { adPrograms, adProgramVersions } from '#schema/advertise.ts'
import { readProgramContent } from '../programs/program-content.ts'
import { computeForecast } from './program-forecast.ts'
import { listProgramStaff } from './program-notice.ts'
import type { StoredProgram } from '../programs/program-rows.ts'

const JOB = 'ad-forecast'
const PUBLISH = 'advertiseManage:ProgramList:publish'
/** Maximum number of programs that one message names. */
const MAX_NAMED = 10
const FULL = 100

interface Missing {
  readonly programId: number
  readonly line: string
  /** Accounts that may change the program. */
  readonly uids: readonly number[]
}

/** Notifies accounts of the bookings that they may change and that are expected to miss their number of plays. */
export async function notifyForecasts(services: Services, now: Date) {
  const { db } = services.database
  const booked = await db
    .select({ program: adPrograms })
    .from(adPrograms)
    .innerJoin(
      adProgramVersions,
      and(eq(adProgramVersions.programId, adPrograms.id), eq(adProgramVersions.verNo, adPrograms.publishedVer)),
    )
    .where(
      and(
        isNull(adPrograms.deletedAt),
        eq(adPrograms.status, PROGRAM_STATUS.delivering),
        gt(adProgramVersions.bookedPlays, 0),
        sql`${adProgramVersions.body}->>'dateTo' >= ${now.toISOString().slice(0, 10)}`,
      ),
    )
    .orderBy(adPrograms.id)
  const missing: Missing[] = []
  const isolation = { log: services.log, kind: JOB, name: ({ program }: Booked) => ({ programId: program.id }) }
  const { done, failed } = await forEachIsolated(booked, isolation, async ({ program }) => {
    missing.push(...(await missingOf(services, program, now)))
  })
  const messages = groupByReaders(missing)
  const ofReaders = { log: services.log, kind: JOB, name: ({ uids }: Message) => ({ uids }) }
  const sent = await forEachIsolated(messages, ofReaders, (message) => notifyReaders(services, message))
  return { forecasts: done, missing: missing.length, failedItems: failed.length + sent.failed.length }
}

interface Message {
  readonly uids: readonly number[]
  readonly list: readonly Missing[]
}

/** Returns one message for all accounts that may change the same programs. */
function groupByReaders(missing: readonly Missing[]): Message[] {
  const listByUid = new Map<number, Missing[]>()
  for (const each of missing) for (const uid of each.uids) listByUid.set(uid, [...(listByUid.get(uid) ?? []), each])
  const groups = Map.groupBy(listByUid, ([, list]) => list.map(({ programId }) => programId).join())
  return [...groups.values()].map((readers) => ({ uids: readers.map(([uid]) => uid), list: readers[0]![1] }))
}

interface Booked {
  readonly program: StoredProgram
}

async function missingOf(services: Services, program: StoredProgram, now: Date): Promise<Missing[]> {
  const { db } = services.database
  const user = createPlatformUser({ account: 'system', realname: '系统' })
  const content = await readProgramContent(db, program, program.publishedVer)
  const { rate, expected, booked, texts } = await computeForecast({ db, user, now, services }, content)
  if (rate >= FULL) return []
  const number = (value: number) => value.toLocaleString('en')
  const measures = texts.length === 0 ? '' : `，可${texts.join('或')}`
  const line = `《${content.programName}》预计播放 ${number(expected)} 次，预约 ${number(booked)} 次（${rate}%）${measures}`
  return [{ programId: program.id, line, uids: await listProgramStaff(db, PUBLISH, program) }]
}

async function notifyReaders(services: Services, { uids, list }: Message) {
  const lines = list.slice(0, MAX_NAMED).map(({ line }) => line)
  if (list.length > MAX_NAMED) lines.push(`等 ${list.length} 个节目单，请在“广告管理 / 统计分析 / 预约完成”中查看。`)
  await sendMessage(services, services.database.db, {
    title: `${list.length} 个节目单预计不能完成预约`,
    text: lines.join('\n'),
    uids,
  })
}

/** Registers the weekly notice of bookings that are expected to fall short. */
export function registerForecastNotice(services: Services) {
  const work = () => notifyForecasts(services, services.now())
  services.jobs.schedule(JOB, work, { title: '预约完成预测提醒', cron: '0 0 9 * * 1', timeLimitSeconds: 1800 })
}
