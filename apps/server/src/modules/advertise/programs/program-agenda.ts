import type { KnownObstacles } from '@oms/contract/ad-engine/conflicts/because.ts'
import type { Manifest } from '@oms/contract/ad-engine/manifest.ts'
import { findPlayingAt, type Playing } from '@oms/contract/ad-engine/playing.ts'
import type { ScreenState } from '@oms/contract/ad-engine/program.ts'
import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import { buildTimelineStrip } from '@oms/contract/advertise/program-strip.ts'
import { PROGRAM_STATUS, TARGET_TYPE } from '@oms/contract/advertise/program-words.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { parseLocalTime } from '#core/time/zone.ts'
import { computeScreenState } from '#domain/ads/screens/screen-abilities.ts'
import { visiblePrograms } from '#domain/ads/visible-programs.ts'
import { visibleDevices } from '#domain/fleet/device-filter.ts'
import { adPrograms, ads } from '#schema/advertise.ts'
import { adScreens } from '#schema/advertise-screen.ts'
import { devices } from '#schema/device.ts'
import { readPlayingNames } from '../screens/playing-names.ts'
import { buildScreenManifest } from '../screens/screen-sets.ts'
import { hideAdNames } from './hidden-ads.ts'
import type { StoredProgram } from './program-rows.ts'
import { buildTargetCondition } from './targets.ts'

const HOUR_MS = 3_600_000
/** Maximum age of a report that is compared with the plan. */
const FRESH_REPORT_MS = 15 * 60_000
const MAX_IDLE_PROGRAMS = 100
/**
 * Limits the queries of a call. A round examines `MAX_IDLE_PROGRAMS` programs, and each of these programs with dynamic
 * groups needs one query.
 */
const MAX_ROUNDS = 10

/**
 * Returns what a screen plays at a moment, the plan of its day and the last report of the screen. Each program has the
 * reason why it plays or not.
 */
export async function getAgenda(ctx: Ctx, { sn, time, hours }: ParsedOf<typeof calls.agenda>) {
  const { user, now, services } = ctx
  const { config } = services
  const device = await readAgendaScreen(ctx, sn)
  // Programs of the platform play on screens of tenants, so the manifest is read without row-level security.
  const manifest =
    device &&
    (await withoutRowSecurity(ctx, async (all) => {
      const found = await buildScreenManifest(all, device.id, { now, standardZone: config.timeZone })
      return found && hideAdNames({ db: all, user }, found)
    }))
  if (!device || !manifest) throw notFound('屏幕')
  const at = time ? parseLocalTime(time, manifest.zone) : now.getTime()
  const known = await withoutRowSecurity(ctx, (all) => obstaclesOf({ db: all, user }, device, manifest))
  const state = computeScreenState(manifest, device)
  const playing = findPlayingAt(manifest, at, state, known)
  const from = startOfDay(at, manifest.zone)
  const to = from + hours * HOUR_MS
  return {
    deviceId: device.id,
    sn,
    zone: manifest.zone,
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

/** Returns the screen with what its player reported; undefined outside the caller's data scope. */
async function readAgendaScreen({ db, user }: Pick<Ctx, 'db' | 'user'>, sn: string) {
  const [screen] = await db
    .select({
      id: devices.id,
      tenantId: devices.tenantId,
      modelId: devices.modelId,
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

/**
 * Returns obstacles that the manifest does not contain: programs for the screen that are not in force, and ads that are
 * not in the manifest.
 */
const obstaclesOf = async (
  reader: Pick<Ctx, 'db' | 'user'>,
  device: AgendaDevice,
  manifest: Manifest,
): Promise<KnownObstacles> => ({
  programs: await idlePrograms(reader, device),
  ads: await missingAds(reader.db, manifest),
})

interface AgendaDevice {
  readonly id: number
  readonly tenantId: number
  readonly modelId: number
}

/** Returns the drafts, waiting and paused programs of the caller's data scope whose targets include the device. */
async function idlePrograms({ db, user }: Pick<Ctx, 'db' | 'user'>, device: AgendaDevice) {
  const found = []
  let after = 0
  for (let round = 0; round < MAX_ROUNDS && found.length < MAX_IDLE_PROGRAMS; round++) {
    const some = await db
      .select()
      .from(adPrograms)
      .where(
        and(
          visiblePrograms(user),
          gt(adPrograms.id, after),
          inArray(adPrograms.status, [PROGRAM_STATUS.draft, PROGRAM_STATUS.waiting, PROGRAM_STATUS.paused]),
          sql`${adPrograms.dateTo} >= current_date - 1`,
          mayTarget(device),
        ),
      )
      .orderBy(adPrograms.id)
      .limit(MAX_IDLE_PROGRAMS)
    if (some.length === 0) break
    after = some.at(-1)!.id
    found.push(...(await targetingOf(db, some, device)))
  }
  return found.slice(0, MAX_IDLE_PROGRAMS)
}

/** Returns the condition for programs that may target a device. The rules of dynamic groups are not examined. */
const mayTarget = ({ id, tenantId, modelId }: AgendaDevice) =>
  and(
    inArray(adPrograms.tenantId, [PLATFORM_TENANT_ID, tenantId]),
    sql`(${adPrograms.isDefault} = 1 or case ${adPrograms.targetType}
      when ${TARGET_TYPE.devices} then ${id}::int when ${TARGET_TYPE.models} then ${modelId}::int
      when ${TARGET_TYPE.tenants} then ${tenantId}::int end = any(${adPrograms.targetIds})
      or (${adPrograms.targetType} = ${TARGET_TYPE.groups} and exists (select from device_groups g
        where g.id = any(${adPrograms.targetIds}) and g.deleted_at is null and g.status = 1
          and (g.kind <> 1 or exists (select from device_group_members m
            where m.group_id = g.id and m.device_id = ${id}::int)))))`,
  )

/** Returns the programs whose targets include the device. */
async function targetingOf(db: Db, idle: readonly StoredProgram[], device: AgendaDevice) {
  const members: SQL[] = []
  for (const program of idle)
    members.push(sql`case when ${await buildTargetCondition(db, program)} then ${program.id}::int end`)
  const { rows } = await db.execute<{ ids: number[] }>(sql`
    select array_remove(array[${sql.join(members, sql`, `)}], null) as ids from devices where ${devices.id} = ${device.id}`)
  const targeted = new Set(rows[0]?.ids ?? [])
  return idle
    .filter(({ id }) => targeted.has(id))
    .map(({ id, programName, status }) => ({
      id,
      name: programName,
      obstacle: status === PROGRAM_STATUS.paused ? ('paused' as const) : ('unpublished' as const),
    }))
}

/** Returns the ads of the programs that are disabled or not approved. */
async function missingAds(db: Db, { programs, ads: present }: Manifest) {
  const wanted = new Set(programs.flatMap(({ items }) => items.map(({ adId }) => adId)))
  for (const { id } of present) wanted.delete(id)
  if (wanted.size === 0) return []
  const rows = await db
    .select({ id: ads.id, enableStat: ads.enableStat })
    .from(ads)
    .where(inArray(ads.id, [...wanted]))
  return rows.map(({ id, enableStat }) => ({
    id,
    obstacle: enableStat === 0 ? ('adDisabled' as const) : ('adNotApproved' as const),
  }))
}

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
