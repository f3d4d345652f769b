import { parseDay } from '@oms/contract/advertise/engine/dates.ts'
import type { ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import { loadZone } from '@oms/contract/advertise/engine/zone.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { buildManifest } from '../manifests/manifest-of.ts'
import type { ProgramBody } from '../schema.ts'
import { type CheckSubject, listOtherBodies } from '../programs/program-subject.ts'

/** Maximum number of screen sets whose first day is planned. The mean of these sets stands for further sets. */
const MAX_PLANNED_SETS = 40

type Subject = Pick<CheckSubject, 'body' | 'others' | 'sets'>
/**
 * Returns the number of plays on all screens that the engine plans for the first day, in the zone of each screen. Of today,
 * only the rest counts. When no plays are left today on any screen, the next due day of each screen is planned.
 */
export function planFirstDay(now: Date, subject: Subject, known: ReadonlyMap<number, ManifestAd>) {
  const planned = subject.sets.slice(0, MAX_PLANNED_SETS).map((set) => {
    const today = formatLocalDay(now, set.zone)
    const days = listDueDays(subject.body, today)
    const isDueToday = days[0] === parseDay(today)
    return { set, today: isDueToday ? days[0] : undefined, next: days[isDueToday ? 1 : 0] }
  })
  const plan = (dayOf: (each: (typeof planned)[number]) => number | undefined) =>
    scaleToAllSets(
      subject.sets,
      planned.map((each) => {
        const day = dayOf(each)
        return day === undefined ? 0 : countPlays(day, now.getTime(), subject, each.set, known)
      }),
    )
  const hasToday = planned.some(({ today }) => today !== undefined)
  const firstDayPlays = hasToday ? plan(({ today }) => today) : 0
  if (firstDayPlays > 0) return { firstDayPlays, isRestOfToday: true }
  const hasNext = planned.some(({ next }) => next !== undefined)
  return { firstDayPlays: hasNext ? plan(({ next }) => next) : 0, isRestOfToday: hasToday && !hasNext }
}

/** Counts the planned plays of a day on one screen of a set, from `now` on. */
function countPlays(
  day: number,
  now: number,
  subject: Subject,
  set: Subject['sets'][number],
  known: ReadonlyMap<number, ManifestAd>,
): number {
  const manifest = buildManifest(set.zone, [...listOtherBodies(subject, set), subject.body], known)
  const zone = loadZone(set.zone)
  const from = Math.max(now, zone.startOf(day, 0))
  let count = 0
  for (const { program, hold, start } of listSlotsBetween(manifest, from, zone.startOf(day + 1, 0)))
    if (program?.id === subject.body.id && !hold && start >= from) count += 1
  return count
}

/** Adds up the plays of all screens. `plays` has those of a screen of the first sets; their mean stands for the others. */
function scaleToAllSets(sets: Subject['sets'], plays: readonly number[]): number {
  const sum = plays.reduce((total, each, at) => total + each * sets[at]!.screens, 0)
  const count = (some: Subject['sets']) => some.reduce((total, { screens }) => total + screens, 0)
  const screens = count(sets.slice(0, plays.length))
  return screens === 0 ? 0 : Math.round((sum * count(sets)) / screens)
}

/** Returns the days of a program, from today on, within eight days, whose weekday is chosen. */
function listDueDays(
  { dateFrom, dateTo, weekdays }: Pick<ProgramBody, 'dateFrom' | 'dateTo' | 'weekdays'>,
  today: string,
) {
  const first = parseDay(dateFrom > today ? dateFrom : today)
  const days = Array.from({ length: 8 }, (_, at) => first + at)
  // Day 0 is a Thursday.
  return days.filter((day) => day <= parseDay(dateTo) && (weekdays >> ((day + 3) % 7)) & 1)
}
