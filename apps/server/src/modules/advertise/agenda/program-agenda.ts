import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { findPlayingAt, type Playing } from '@oms/contract/advertise/engine/playing.ts'
import type { ScreenState } from '@oms/contract/advertise/engine/program.ts'
import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import { buildTimelineStrip } from '@oms/contract/advertise/program-strip.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { parseLocalTime } from '#core/time/zone.ts'
import { computeScreenState } from '../screens/screen-abilities.ts'
import { buildScreenZone } from '../screens/screen-zone.ts'
import { visibleDevices } from '#modules/device/fleet/device-filter.ts'
import { adScreens } from '../schema-screen.ts'
import { devices } from '#modules/device/schema.ts'
import { readPlayingNames } from '../screens/playing-names.ts'
import { buildScreenManifest } from '../screens/screen-manifest.ts'
import { readObstacles } from './agenda-obstacles.ts'
import { hideAdNames } from '../programs/hidden-ads.ts'

const HOUR_MS = 3_600_000
/** Maximum age of a report that is compared with the plan. */
const FRESH_REPORT_MS = 15 * 60_000

/**
 * Returns what a screen plays now or later, the plan of that day and the last report of the screen. Each program has the
 * reason why the program plays or not.
 */
export async function getAgenda(ctx: Ctx, { sn, time, hours }: ParsedOf<typeof calls.agenda>) {
  const device = await readAgendaScreen(ctx, sn)
  if (!device) throw notFound('屏幕')
  const now = ctx.now.getTime()
  const at = time ? parseLocalTime(time, device.zone) : now
  if (at < now) throw invalid('时间已过，请选择现在或以后的时间', 'time')
  const plan = await readPlan(ctx, device, at)
  if (!plan) throw notFound('屏幕')
  const { manifest, known } = plan
  const state = computeScreenState(manifest, device)
  const playing = findPlayingAt(manifest, at, state, known)
  const from = startOfDay(at, manifest.zone)
  const to = from + hours * HOUR_MS
  return {
    deviceId: device.id,
    sn,
    zone: manifest.zone,
    isConsoleZone: manifest.zone === ctx.services.config.timeZone,
    now,
    at,
    from,
    to,
    planned: plannedOf(playing),
    online: device.online,
    lastReportTime: device.reportTime,
    ...(await reportOf(ctx, device, manifest, state)),
    because: playing.because.map(({ programId, name, status, text }) => ({ programId, name, status, text })),
    segments: buildTimelineStrip(manifest, from, to, state).map((segment) => ({
      ...segment,
      programs: [...segment.programs],
    })),
  }
}

type AgendaScreen = NonNullable<Awaited<ReturnType<typeof readAgendaScreen>>>

/**
 * Returns the manifest of the screen with the programs in force, and the reasons why its other programs do not play.
 */
const readPlan = (ctx: Ctx, device: AgendaScreen, at: number) =>
  // Programs of the platform play on screens of tenants, so the manifest is read without row-level security.
  withoutRowSecurity(ctx, async (all) => {
    const reader = { db: all, user: ctx.user }
    const standardZone = ctx.services.config.timeZone
    const found = await buildScreenManifest(all, device.id, { now: ctx.now, at, standardZone })
    if (!found) return undefined
    const manifest = await hideAdNames(reader, found.manifest)
    return { manifest, known: await readObstacles(reader, device, { ...found, manifest }) }
  })

/** Returns the screen with the last report of its player; undefined outside the caller's data scope. */
async function readAgendaScreen({ db, user, services }: Pick<Ctx, 'db' | 'user' | 'services'>, sn: string) {
  const [screen] = await db
    .select({
      id: devices.id,
      tenantId: devices.tenantId,
      modelId: devices.modelId,
      zone: buildScreenZone(services.config.timeZone),
      width: adScreens.width,
      height: adScreens.height,
      codecs: adScreens.codecs,
      failed: adScreens.failed,
      nowPlaying: adScreens.nowPlaying,
      online: devices.online,
      reportTime: adScreens.lastReportTime,
    })
    .from(devices)
    .innerJoin(adScreens, eq(adScreens.deviceId, devices.id))
    .where(and(eq(devices.sn, sn), visibleDevices(user)))
  return screen
}

const plannedOf = ({ program, ad, start, ms, rule, hold }: Playing) => ({
  programId: program?.id ?? 0,
  programName: program?.name ?? '',
  adId: ad?.id ?? 0,
  adName: ad?.name ?? '',
  start,
  ms,
  rule,
  hold,
})

const startOfDay = (at: number, zone: string) => parseLocalTime(`${localDay(at, zone)} 00:00:00`, zone)
const localDay = (at: number, zone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at)

interface Reporting {
  /** Id of the device. */
  readonly id: number
  readonly nowPlaying: { programId: number; itemId: number; adId: number; since: number } | null
  readonly reportTime: string | null
}

/**
 * Returns the content that the screen reported last. `differs`: the report is recent and differs from the plan for its
 * moment.
 */
async function reportOf(ctx: Ctx, { id, nowPlaying, reportTime }: Reporting, manifest: Manifest, state: ScreenState) {
  if (!nowPlaying || !reportTime) return { reported: null, differs: false }
  const names = (await readPlayingNames(ctx, [id])).get(id)
  const { programId, itemId, adId, since } = nowPlaying
  const isFresh = ctx.now.getTime() - since < FRESH_REPORT_MS
  const then = findPlayingAt(manifest, since, state)
  const planned = then.program?.id === programId && then.item?.id === itemId
  const next = findPlayingAt(manifest, then.start + then.ms, state)
  const isNext = next.program?.id === programId && next.item?.id === itemId
  return {
    reported: {
      programId,
      programName: names?.programName ?? '',
      adId,
      adName: names?.adName ?? '',
      since,
      reportTime,
    },
    // A screen may start the next item slightly earlier than planned.
    differs: isFresh && !planned && !isNext,
  }
}
