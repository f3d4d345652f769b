import { parseDay } from '@oms/contract/advertise/engine/dates.ts'
import type { ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import { chooseRendition, createCodecTest } from '@oms/contract/advertise/engine/renditions.ts'
import { loadZone } from '@oms/contract/advertise/engine/zone.ts'
import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, type SQL, sql } from 'drizzle-orm'
import type { Config } from '#core/config/config.ts'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { loadAdsOfPrograms, buildManifest } from '../manifests/manifest.ts'
import type { ProgramBody } from '../schema.ts'
import { groupScreensByRendition, type RenditionGroup } from '../screens/screen-sets.ts'
import { countStates, readScreenStates } from '../screens/screen-states.ts'
import {
  prepareDraft,
  type CheckedProgram,
  type CheckSubject,
  readCheckSubject,
  listOtherBodies,
} from './program-conflict.ts'
import { readScreenNames } from './program-delivery.ts'
import { listOtherApprovers, needsSecondPerson } from './program-publish.ts'
import { HAS_SCREEN_CONDITION, hasTargets } from './program-targets.ts'
import { readProgramContent, readProgram } from './program.ts'

const SAMPLE = 20
const MAX_GROUPS = 50
const HOUR_SECONDS = 3600
/** Maximum number of screen sets whose first day is planned. The mean of these sets stands for further sets. */
const MAX_PLANNED_SETS = 40

/**
 * Returns the effect of publishing: the screens, the bytes that they have to download, and the time of the download.
 */
export async function runDryRun(ctx: Ctx, { id, verNo }: ParsedOf<typeof calls.dryRun>) {
  const stored = await readProgram(ctx, id)
  const effect = await dryRunOf(ctx, verNo === undefined ? stored : await readProgramContent(ctx.db, stored, verNo))
  if (!effect.needsApproval) return effect
  const others = await listOtherApprovers(ctx.db, stored, ctx.user.uid)
  return { ...effect, hasApprover: others.length > 0 }
}

/** Returns the effect of publishing content that is not saved. */
export const runDraftDryRun = async (ctx: Ctx, input: ParsedOf<typeof calls.draftDryRun>) =>
  dryRunOf(ctx, await prepareDraft(ctx, input))

async function dryRunOf(ctx: Ctx, content: CheckedProgram) {
  const { services } = ctx
  const subject = await readCheckSubject(ctx, content)
  // Programs of the platform play on screens of tenants too.
  const { known, classes, states, tenants, models } = await withoutRowSecurity(ctx, (db) =>
    factsFor({ ...ctx, db }, subject),
  )
  const screens = subject.sets.reduce((sum, set) => sum + set.screens, 0)
  const lacking = classes.map((set) => ({ set, bytes: lackingBytes(subject, set, known) }))
  const totalBytes = lacking.reduce((sum, { set, bytes }) => sum + set.screens * bytes, 0)
  return {
    screens,
    insertMode: content.insertMode,
    hasTargets: hasTargets(content),
    needsApproval: needsSecondPerson(services.config, content, screens),
    hasApprover: true,
    tenants,
    models,
    states: countStates(states),
    totalBytes,
    maxBytes: Math.max(0, ...lacking.map(({ bytes }) => bytes)),
    readyScreens: lacking.reduce((sum, { set, bytes }) => sum + (bytes === 0 ? set.screens : 0), 0),
    ...hoursOf(services.config, totalBytes, Math.max(0, ...lacking.map(({ bytes }) => bytes)), lacking),
    ...planFirstDay(ctx.now, subject, known),
    sample: await sampleOf(ctx, states.slice(0, SAMPLE), lacking),
  }
}

async function factsFor({ db, services, now }: Ctx, { body, others, current, where }: CheckSubject) {
  const programs = [...others.values(), ...(current ? [current] : [])]
  const standardZone = services.config.timeZone
  return {
    known: await loadAdsOfPrograms(db, [body, ...[...others.values()].map((each) => each.body)]),
    classes: await groupScreensByRendition(db, where, { programs, standardZone, most: SAMPLE }),
    states: await readScreenStates(services, db, where, now),
    tenants: await groupedBy(db, where, 'tenant'),
    models: await groupedBy(db, where, 'model'),
  }
}

interface Lacking {
  readonly set: RenditionGroup
  readonly bytes: number
}

/** Returns the bytes that each screen of a class has to download for the program. */
function lackingBytes(
  { body, others, current }: CheckSubject,
  set: RenditionGroup,
  known: ReadonlyMap<number, ManifestAd>,
) {
  const present = set.programIds.flatMap((id) => (id === current?.id ? current.body : others.get(id)?.body) ?? [])
  const held = new Set(present.flatMap(({ items }) => items.map(({ adId }) => adId)))
  const wanted = [...new Set(body.items.map(({ adId }) => adId))].filter((adId) => !held.has(adId))
  const screen = screenOf(set)
  const files = new Map(
    wanted.flatMap((adId) => {
      const ad = known.get(adId)
      const file = ad && chooseRendition(ad, screen)
      return file ? [[file.sha256, file.size] as const] : []
    }),
  )
  return [...files.values()].reduce((sum, size) => sum + size, 0)
}

/**
 * Returns the facts by which a rendition is chosen. A screen that has not reported its size counts as 1920×1080 with
 * every codec.
 */
const screenOf = ({ width, height, codecs }: RenditionGroup) => ({
  width: width || 1920,
  height: height || 1080,
  mayPlay: createCodecTest(codecs),
})

/** Returns how long the download takes with the bandwidth of the server, of a screen, and the download window. */
function hoursOf(
  { ads, deviceBandwidth }: Pick<Config, 'ads' | 'deviceBandwidth'>,
  totalBytes: number,
  maxBytes: number,
  lacking: readonly Lacking[],
) {
  const bandwidth = ads.bandwidth || deviceBandwidth
  const windowHours = hoursOfWindow(ads.download.window)
  const days = 24 / windowHours
  const perScreen = ads.download.kbps * 1024
  const hours = (bytes: number, rate: number) => (rate === 0 ? 0 : (bytes / rate / HOUR_SECONDS) * days)
  const isLimited = bandwidth > 0 || perScreen > 0
  const first = Math.min(...lacking.map(({ bytes }) => bytes), Number.MAX_SAFE_INTEGER)
  const rate = perScreen > 0 && (bandwidth === 0 || perScreen < bandwidth) ? perScreen : bandwidth
  return {
    bandwidth,
    windowHours,
    firstHours: isLimited && lacking.length > 0 ? hours(first, rate) : null,
    lastHours: isLimited ? Math.max(hours(totalBytes, bandwidth), hours(maxBytes, perScreen)) : null,
  }
}

/** Returns the hours per day of a window such as `['22:00', '06:00']`; 24 without a window. */
function hoursOfWindow(window: readonly string[] | null) {
  const [from, to] = (window ?? []).map((clock) => Number(clock.slice(0, 2)) + Number(clock.slice(3)) / 60)
  if (from === undefined || to === undefined || from === to) return 24
  return (to - from + 24) % 24
}

async function groupedBy(db: Db, where: SQL, kind: 'tenant' | 'model') {
  const [table, key, name] =
    kind === 'tenant'
      ? [sql`tenants`, sql`devices.tenant_id`, sql`g.name`]
      : [sql`device_models`, sql`devices.model_id`, sql`g.model_name`]
  const { rows } = await db.execute<{ id: number; name: string; count: number }>(sql`
    select ${key} as id, coalesce(max(${name}), '') as name, count(*)::int as count
    from devices left join ${table} g on g.id = ${key} where ${and(where, HAS_SCREEN_CONDITION)}
    group by 1 order by 3 desc, 1 limit ${MAX_GROUPS}`)
  return rows
}

async function sampleOf(ctx: Ctx, states: readonly { id: number; state: number }[], lacking: readonly Lacking[]) {
  const facts = await readScreenNames(
    ctx,
    states.map(({ id }) => id),
  )
  return states.flatMap(({ id, state }) => {
    const row = facts.get(id)
    if (!row) return []
    const { sn, tenantName, modelName } = row
    const bytes = lacking.find(({ set }) => set.deviceIds.includes(id))?.bytes ?? 0
    return [{ deviceId: id, sn, tenantName, modelName, state, bytes }]
  })
}

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
