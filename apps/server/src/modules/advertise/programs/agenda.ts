import type { KnownObstacles } from '@oms/contract/advertise/engine/conflicts/because.ts'
import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { findPlayingAt, type Playing } from '@oms/contract/advertise/engine/playing.ts'
import type { ScreenState } from '@oms/contract/advertise/engine/program.ts'
import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import { buildTimelineStrip } from '@oms/contract/advertise/program-strip.ts'
import { PROGRAM_STATUS, TARGET_TYPE } from '@oms/contract/advertise/program-words.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { withoutRowSecurity, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { parseLocalTime } from '#core/time/zone.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { devices } from '#modules/device/schema.ts'
import { adScreens } from '../schema-screen.ts'
import { adPrograms } from '../schema.ts'
import { visiblePrograms } from '../scope.ts'
import { buildScreenZone, buildScreenManifest, type ScreenManifest } from '../screens/screen-sets.ts'
import { computeScreenState } from '../screens/screen-table.ts'
import { readPlayingNames } from '../screens/screen.ts'
import { hideAdNames, readMissingAds } from './program-items.ts'
import { buildTargetCondition } from './program-targets.ts'
import type { StoredProgram } from './program.ts'

const HOUR_MS = 3_600_000
/** Maximum age of a report that is compared with the plan. */
const FRESH_REPORT_MS = 15 * 60_000
const MAX_IDLE_PROGRAMS = 100
/**
 * Limits the queries of a call. A round reads up to `MAX_IDLE_PROGRAMS` programs, and each program with dynamic groups
 * needs one more query.
 */
const MAX_ROUNDS = 10

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

/**
 * Returns the obstacles that the schedule engine cannot derive from the manifest: programs that exceed the capacity of
 * the screen or are not in force, and ads that are not approved or disabled.
 */
const readObstacles = async (
  reader: Pick<Ctx, 'db' | 'user'>,
  device: AgendaDevice,
  { manifest, left }: ScreenManifest,
): Promise<KnownObstacles> => ({
  programs: [
    ...left.map(({ id, name }) => ({ id, name, obstacle: 'beyondCapacity' as const })),
    ...(await idlePrograms(reader, device)),
  ],
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

/** Returns the condition for programs that may target a device. Assumes that dynamic groups contain the device. */
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

/** Returns the disabled and not approved ads that the programs use. */
function missingAds(db: Db, { programs, ads: present }: Manifest) {
  const wanted = new Set(programs.flatMap(({ items }) => items.map(({ adId }) => adId)))
  for (const { id } of present) wanted.delete(id)
  return readMissingAds(db, [...wanted])
}
