import { formatDate, parseDay } from '@oms/contract/ad-engine/dates.ts'
import type { ManifestAd } from '@oms/contract/ad-engine/manifest.ts'
import { listSlotsBetween } from '@oms/contract/ad-engine/playing.ts'
import { loadZone } from '@oms/contract/ad-engine/zone.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { buildManifest } from '#domain/ads/manifests/manifest-of.ts'
import type { ProgramBody } from '#schema/advertise.ts'
import { type CheckSubject, listOtherBodies } from '../programs/program-subject.ts'

/** Maximum number of screen sets whose first day is planned. The mean of these sets stands for further sets. */
const MAX_PLANNED_SETS = 40

type Subject = Pick<CheckSubject, 'body' | 'others' | 'sets'>
interface Clock {
  readonly now: Date
  /** Time zone of the console. */
  readonly timeZone: string
}

/**
 * Returns the number of plays on all screens that the engine plans for the first day. Today counts from now on; when
 * nothing is left of today, the next due day is planned.
 */
export function planFirstDay(clock: Clock, subject: Subject, known: ReadonlyMap<number, ManifestAd>) {
  const today = formatLocalDay(clock.now, clock.timeZone)
  const days = listDueDays(subject.body, today).slice(0, 2)
  for (const day of days) {
    const plays = playsOn(day, clock.now.getTime(), subject, known)
    const isRestOfToday = formatDate(day) === today
    if (plays > 0 || !isRestOfToday) return { firstDayPlays: plays, isRestOfToday }
  }
  return { firstDayPlays: 0, isRestOfToday: days.length > 0 }
}

function playsOn(day: number, now: number, subject: Subject, known: ReadonlyMap<number, ManifestAd>) {
  const planned = subject.sets.slice(0, MAX_PLANNED_SETS)
  const plays = planned.map((set) => {
    const manifest = buildManifest(set.zone, [...listOtherBodies(subject, set), subject.body], known)
    const zone = loadZone(set.zone)
    const from = Math.max(now, zone.startOf(day, 0))
    let count = 0
    for (const { program, hold, start } of listSlotsBetween(manifest, from, zone.startOf(day + 1, 0)))
      if (program?.id === subject.body.id && !hold && start >= from) count += 1
    return count * set.screens
  })
  const sum = plays.reduce((total, each) => total + each, 0)
  const screens = planned.reduce((total, set) => total + set.screens, 0)
  const all = subject.sets.reduce((total, set) => total + set.screens, 0)
  return screens === 0 ? 0 : Math.round((sum * all) / screens)
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
