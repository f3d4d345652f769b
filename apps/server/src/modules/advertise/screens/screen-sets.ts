import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { and, type SQL, sql, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from '#modules/device/schema.ts'
import type { KnownAd } from '../content.ts'
import {
  type ProgramInForce,
  fitPrograms,
  buildManifest,
  loadAdsOfPrograms,
  loadProgramsInForce,
} from '../manifests/manifest.ts'
import { isDelivered } from '../manifests/set-assignment.ts'
import { HAS_SCREEN_CONDITION, buildTargetCondition } from '../programs/program-targets.ts'
import { adScreens } from '../schema-screen.ts'
import type { ProgramBody } from '../schema.ts'

/** Screens with the same zone and the same programs. */
export interface ScreenSet {
  /** IANA name. */
  readonly zone: string
  readonly programIds: readonly number[]
  readonly screens: number
  /** Id of one device of the set. */
  readonly deviceId: number
}

/** Returns the condition on `devices` for the devices that a live program reaches. */
export const buildReachCondition = (db: Db, { tenantId, targetType, targetIds, body }: ProgramInForce): Promise<SQL> =>
  buildTargetCondition(db, { tenantId, targetType, targetIds, isDefault: body.fallback > 0 ? 1 : 0 })

interface Live {
  readonly programs: readonly ProgramInForce[]
  /** Zone of screens without a zone of their own. */
  readonly standardZone: string
}

/** Returns the zone and the ids of the programs of a screen. */
async function setColumns(db: Db, { programs, standardZone }: Live) {
  const members: SQL[] = []
  for (const program of programs)
    members.push(sql`case when ${await buildReachCondition(db, program)} then ${program.id}::int end`)
  const list = members.length === 0 ? sql`'{}'::int[]` : sql`array_remove(array[${sql.join(members, sql`, `)}], null)`
  return sql`${buildScreenZone(standardZone)} as zone, ${list} as program_ids`
}

/** Groups the screens that match a condition by zone and programs, with one statement. */
export async function readScreenSets(db: Db, where: SQL | undefined, live: Live): Promise<ScreenSet[]> {
  const { rows } = await db.execute<ScreenSet & Record<string, unknown>>(sql`
    select zone, program_ids as "programIds", count(*)::int as screens, min(id) as "deviceId"
    from (select ${devices.id} as id, ${await setColumns(db, live)}
      from ${devices} join ${adScreens} on ${adScreens.deviceId} = ${devices.id}
      where ${and(HAS_SCREEN_CONDITION, where) ?? sql`true`}) as reached
    group by 1, 2 order by 3 desc, 4`)
  return rows
}

/** Screens with the same programs, size and codecs, which therefore play the same renditions. */
export interface RenditionGroup {
  readonly programIds: readonly number[]
  readonly screens: number
  /** Pixels; 0: unknown. */
  readonly width: number
  readonly height: number
  /** Empty: unknown. */
  readonly codecs: readonly string[]
  /** The first of the devices. */
  readonly deviceIds: readonly number[]
}

/** Groups the screens that match a condition by programs, size and codecs, each with its first `most` devices. */
export async function groupScreensByRendition(
  db: Db,
  where: SQL | undefined,
  { most, ...live }: Live & { readonly most: number },
): Promise<RenditionGroup[]> {
  const { rows } = await db.execute<RenditionGroup & Record<string, unknown>>(sql`
    select program_ids as "programIds", width, height, codecs, count(*)::int as screens,
      (array_agg(id order by id))[1:${most}::int] as "deviceIds"
    from (select ${devices.id} as id, ${adScreens.width} as width, ${adScreens.height} as height,
        ${adScreens.codecs} as codecs, ${await setColumns(db, live)}
      from ${devices} join ${adScreens} on ${adScreens.deviceId} = ${devices.id}
      where ${and(HAS_SCREEN_CONDITION, where) ?? sql`true`}) as reached
    group by 1, 2, 3, 4 order by screens desc, 6`)
  return rows
}

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

/** Returns the zone of a screen of the surrounding query; `standardZone` for screens without a zone of their own. */
export const buildScreenZone = (standardZone: string): SQL<string> =>
  sql<string>`coalesce(nullif(${adScreens.timeZone}, ''), ${standardZone})`
