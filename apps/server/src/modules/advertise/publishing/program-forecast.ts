import { parseDay } from '@oms/contract/ad-engine/dates.ts'
import { iterateForecast, countPlannedPlays, type ScreenSet } from '@oms/contract/ad-engine/conflicts/forecast.ts'
import { loadZone } from '@oms/contract/ad-engine/zone.ts'
import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import type { ParsedOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import type { Db } from '#core/database/client.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { runInSlices } from '#core/process/run-in-slices.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { loadAdsOfPrograms, buildManifest } from '#domain/ads/manifests/manifest-of.ts'
import type { ProgramBody } from '#schema/advertise.ts'
import { sumBookedPlays, sumPlays } from '../programs/booking.ts'
import { readProgramContent } from '../programs/program-content.ts'
import { readProgram, type StoredProgram } from '../programs/program-rows.ts'
import { listOtherBodies, type CheckSubject, readCheckSubject } from '../programs/program-subject.ts'

/** Number of past days in which the availability is measured. */
const MEASURED_DAYS = 14
/** Assumed availability before any day is measured, in thousandths of the planned plays. */
const ASSUMED_AVAILABILITY = 900
const THOUSAND = 1000
/** Maximum number of screen sets that are planned. The mean of these sets stands for the screens of further sets. */
const MAX_PLANNED_SETS = 8

export async function getForecast(ctx: Ctx, { id }: ParsedOf<typeof calls.forecast>) {
  const stored = await readProgram(ctx, id)
  const content = stored.publishedVer > 0 ? await readProgramContent(ctx.db, stored, stored.publishedVer) : stored
  if (content.bookedPlays === 0) throw refused('该节目单没有预约播放次数')
  return computeForecast(ctx, content)
}

/** Forecasts the plays of a booking until its last date. An ended program plays no more. */
export async function computeForecast(
  ctx: Pick<Ctx, 'db' | 'user' | 'now' | 'services'>,
  content: StoredProgram,
): Promise<ResultOf<typeof calls.forecast>> {
  const { now } = ctx
  const subject = await readCheckSubject(ctx, content)
  const body = subject.current?.body ?? subject.body
  const isEnded = content.status === PROGRAM_STATUS.ended
  const sets = isEnded ? [] : await withoutRowSecurity(ctx, (all) => plannedSets(all, subject, body))
  const { id: programId, dateFrom, dateTo } = content
  const screens = subject.sets.reduce((sum, set) => sum + set.screens, 0)
  const booked = sumBookedPlays(content, screens)
  const played = (await sumPlays(ctx, [{ programId, dateFrom, dateTo }])).get(programId) ?? 0
  const measured = await availabilityOf(ctx, sets, body)
  const availability = measured ?? ASSUMED_AVAILABILITY
  const found = await runInSlices(
    iterateForecast({ programId, sets, from: now.getTime(), booked, played, availability }),
  )
  const { expected, gap, share, days, screens: addedScreens, texts } = found
  return {
    programId,
    programName: content.programName,
    dateFrom,
    dateTo,
    booked,
    played,
    expected,
    rate: booked === 0 ? 0 : Math.floor((expected / booked) * THOUSAND) / 10,
    gap,
    screens,
    availability: availability / 10,
    isAvailabilityKnown: measured !== undefined,
    share,
    days,
    addedScreens,
    texts: [...texts],
  }
}

/** Builds the manifests of the largest screen sets. The screens of the other sets are added to them in proportion. */
async function plannedSets(db: Db, subject: CheckSubject, body: ProgramBody): Promise<ScreenSet[]> {
  const all = subject.sets.reduce((sum, set) => sum + set.screens, 0)
  const largest = subject.sets.slice(0, MAX_PLANNED_SETS)
  const planned = largest.reduce((sum, set) => sum + set.screens, 0)
  const bodies = largest.map((set) => [...listOtherBodies(subject, set), body])
  const known = await loadAdsOfPrograms(db, bodies.flat())
  return largest.map((set, at) => ({
    manifest: buildManifest(set.zone, bodies[at]!, known),
    screens: (set.screens * all) / planned,
  }))
}

/**
 * Returns the availability: the played share of the planned plays of the last days, in thousandths. The first day is
 * the day after the publishing. Undefined while no complete day has passed, or when nothing was planned.
 */
async function availabilityOf(
  ctx: Pick<Ctx, 'db' | 'user' | 'now' | 'services'>,
  sets: readonly ScreenSet[],
  { id, dateFrom, publishedAt }: Pick<ProgramBody, 'id' | 'dateFrom' | 'publishedAt'>,
): Promise<number | undefined> {
  const { now } = ctx
  const { timeZone } = ctx.services.config
  const today = formatLocalDay(now, timeZone)
  const published = formatLocalDay(new Date(publishedAt), timeZone)
  const first = [addDays(today, -MEASURED_DAYS), addDays(published), dateFrom].sort().at(-1)!
  if (first >= today) return undefined
  const days = parseDay(today) - parseDay(first)
  let planned = 0
  for (const { manifest, screens } of sets) {
    const from = loadZone(manifest.zone).startOf(parseDay(first), 0)
    for (const plays of countPlannedPlays(manifest, id, from, days)) planned += plays * screens
  }
  if (planned === 0) return undefined
  const range = { programId: id, dateFrom: first, dateTo: addDays(today, -2) }
  const played = (await sumPlays(ctx, [range])).get(id) ?? 0
  return Math.min(THOUSAND, Math.round((played * THOUSAND) / planned))
}
