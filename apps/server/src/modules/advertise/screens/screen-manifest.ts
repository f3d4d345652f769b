import type { Manifest } from '@oms/contract/ad-engine/manifest.ts'
import { eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { KnownAd } from '#domain/ads/file-durations.ts'
import { fitPrograms } from '#domain/ads/manifests/capacity.ts'
import { isDelivered } from '#domain/ads/manifests/live-programs.ts'
import {
  buildManifest,
  type LiveProgram,
  loadAdsOfPrograms,
  loadProgramsInForce,
} from '#domain/ads/manifests/manifest-of.ts'
import { loadPastAds, loadPastPrograms } from '#domain/ads/manifests/past-programs.ts'
import type { ProgramBody } from '#schema/advertise.ts'
import { devices } from '#schema/device.ts'
import { readScreenSets } from './screen-sets.ts'

interface Options {
  readonly now: Date
  /** Moment at which the delivered programs are limited to the capacity of the screen; default: now. */
  readonly at?: number
  /** Zone of screens without a zone of their own. */
  readonly standardZone: string
}

/** Manifest of a screen, and the programs that exceed its capacity. */
export interface ScreenManifest {
  readonly manifest: Manifest
  /** Programs that are not in the manifest, because they exceed the capacity of the screen. */
  readonly left: readonly Named[]
}

interface Named {
  readonly id: number
  readonly name: string
}

/**
 * Builds the manifest of one screen from the database. A draft replaces the program with the same id, also when the
 * draft does not target the screen. Returns undefined for a device without a screen. `db` must not have row-level
 * security.
 */
export async function buildScreenManifest(
  db: Db,
  deviceId: number,
  { now, at = now.getTime(), standardZone, draft }: Options & { readonly draft?: ProgramBody },
): Promise<ScreenManifest | undefined> {
  const programs = await loadProgramsInForce(db, now)
  const reached = await selectReaching(db, deviceId, programs, standardZone)
  if (!reached) return undefined
  const own = reached.programs.flatMap(({ id, body }) => (id === draft?.id ? [] : [body]))
  const bodies = draft ? [...own, draft] : own
  return fitToScreen({ zone: reached.zone, at }, bodies, await loadAdsOfPrograms(db, bodies))
}

/** Manifest of a screen at a past moment. */
export interface PastManifest extends ScreenManifest {
  /** Programs of the screen that were paused at the moment. */
  readonly paused: readonly Named[]
  /** False when pauses and withdrawals of that time were not recorded. */
  readonly isRecorded: boolean
}

/**
 * Builds the manifest of a past moment from the program versions in force and the approved ad versions of that moment. Uses
 * the present members of groups and the present tenant and settings of the screen. `db` must not have row-level security.
 */
export async function buildPastManifest(
  db: Db,
  { id, tenantId }: { readonly id: number; readonly tenantId: number },
  { at, standardZone }: { readonly at: number; readonly standardZone: string },
): Promise<PastManifest | undefined> {
  const { inForce, paused, isRecorded } = await loadPastPrograms(db, tenantId, at)
  const reached = await selectReaching(db, id, [...inForce, ...paused], standardZone)
  if (!reached) return undefined
  const isPaused = new Set(paused.map((program) => program.id))
  const bodies = reached.programs.flatMap((program) => (isPaused.has(program.id) ? [] : [program.body]))
  const adIds = [...new Set(bodies.flatMap(({ items }) => items.map(({ adId }) => adId)))]
  return {
    ...fitToScreen({ zone: reached.zone, at }, bodies, await loadPastAds(db, adIds, at)),
    paused: reached.programs.filter((program) => isPaused.has(program.id)).map(({ body }) => body),
    isRecorded,
  }
}

/** Returns the programs that target a device, and the zone of the device. */
async function selectReaching(db: Db, deviceId: number, programs: readonly LiveProgram[], standardZone: string) {
  const [set] = await readScreenSets(db, eq(devices.id, deviceId), { programs, standardZone })
  return set && { zone: set.zone, programs: programs.filter(({ id }) => set.programIds.includes(id)) }
}

/** Omits programs that exceed the capacity of the screen. Programs that are not delivered yet use no capacity. */
function fitToScreen(
  { zone, at }: { readonly zone: string; readonly at: number },
  bodies: readonly ProgramBody[],
  ads: ReadonlyMap<number, KnownAd>,
): ScreenManifest {
  const programs = bodies.map((body) => ({ id: body.id, body }))
  const delivered = programs.filter((program) => isDelivered(program, at))
  const { left } = fitPrograms(delivered, (adId) => ads.get(adId)?.files ?? [])
  const fitting = programs.filter((program) => !left.includes(program)).map(({ body }) => body)
  return { manifest: buildManifest(zone, fitting, ads), left: left.map(({ body }) => body) }
}
