import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { KnownAd } from '../file-durations.ts'
import { fitPrograms } from '../manifests/capacity.ts'
import { isDelivered } from '../manifests/live-programs.ts'
import { buildManifest, loadAdsOfPrograms, loadProgramsInForce } from '../manifests/manifest-of.ts'
import type { ProgramBody } from '../schema.ts'
import { devices } from '#modules/device/schema.ts'
import { readScreenSets } from './screen-sets.ts'

interface Options {
  readonly now: Date
  /** Moment at which the delivered programs are limited to the capacity of the screen; default: now. */
  readonly at?: number
  /** Zone of screens without a zone of their own. */
  readonly standardZone: string
  readonly draft?: ProgramBody
}

/** Manifest of a screen, and the programs that exceed its capacity. */
export interface ScreenManifest {
  readonly manifest: Manifest
  /** Programs that are not in the manifest, because they exceed the capacity of the screen. */
  readonly left: readonly ProgramBody[]
}

/**
 * Builds the manifest of one screen from the database. A draft replaces the program with the same id, also when the
 * draft does not target the screen. Returns undefined for a device without a screen. `db` must not have row-level
 * security.
 */
export async function buildScreenManifest(
  db: Db,
  deviceId: number,
  { now, at = now.getTime(), standardZone, draft }: Options,
): Promise<ScreenManifest | undefined> {
  const programs = await loadProgramsInForce(db, now)
  const [set] = await readScreenSets(db, eq(devices.id, deviceId), { programs, standardZone })
  if (!set) return undefined
  const reaching = programs.filter(({ id }) => set.programIds.includes(id))
  const own = reaching.flatMap(({ id, body }) => (id === draft?.id ? [] : [body]))
  const bodies = draft ? [...own, draft] : own
  return fitToScreen({ zone: set.zone, at }, bodies, await loadAdsOfPrograms(db, bodies))
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
