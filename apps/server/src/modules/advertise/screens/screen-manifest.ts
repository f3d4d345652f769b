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
  /** Moment whose programs are limited to the capacity of the screen; default: now. */
  readonly at?: number
  /** Zone of screens without a zone of their own. */
  readonly standardZone: string
}

/** What a screen plays by the published programs. */
export interface ScreenManifest {
  readonly manifest: Manifest
  /** Programs that are left out, because they exceed the limits of the screen. */
  readonly left: readonly Named[]
}

interface Named {
  readonly id: number
  readonly name: string
}

/**
 * Builds the manifest of one screen from the database. A draft replaces the program of the same id, also when the
 * screen is not among its targets. Returns undefined for a device without a screen. `db` must not have row-level
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

/** What a screen played at a past moment by the programs that were published then. */
export interface PastManifest extends ScreenManifest {
  readonly paused: readonly Named[]
  /** False when pauses and withdrawals were not recorded yet at the moment. */
  readonly isRecorded: boolean
}

/**
 * Builds the manifest of a past moment from the versions that were in force and approved then. The members of groups and
 * the settings of the screen are the present ones. `db` must not have row-level security.
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

/** Returns the programs that reach a device, and its zone. */
async function selectReaching(db: Db, deviceId: number, programs: readonly LiveProgram[], standardZone: string) {
  const [set] = await readScreenSets(db, eq(devices.id, deviceId), { programs, standardZone })
  return set && { zone: set.zone, programs: programs.filter(({ id }) => set.programIds.includes(id)) }
}

/** Leaves out the programs that the screen has no room for. Programs that are not delivered yet need no room. */
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
