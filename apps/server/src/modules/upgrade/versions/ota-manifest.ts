import { MANIFEST_YEARS } from '@oms/contract/upgrade/ota-signing.ts'
import { and, eq, isNotNull, max, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { otaVersions } from '../schema-ota.ts'
import { tenants } from '#core/schema/tenant.ts'
import { otaManifests } from '../schema.ts'
import type { StoredComponent, StoredVersion } from './ota-rows.ts'

/** Content of a version's manifest: everything that a device must be able to verify. */
interface Content {
  readonly format: 'oms-manifest-1'
  readonly tenant: string
  readonly model: string
  readonly kind: 'firmware' | 'software'
  readonly package: string
  readonly verCode: number
  readonly verName: string
  readonly oldVerMin: number | null
  readonly oldVerMax: number | null
  readonly components: readonly {
    readonly name: string
    readonly type: number
    readonly fileName: string
    readonly size: number
    readonly sha256: string
  }[]
}
export interface Manifest extends Content {
  /** Increasing release number. Protects devices against downgrades and replayed manifests. */
  readonly release: number
  readonly created: string
  readonly expires: string
}
export type StoredManifest = typeof otaManifests.$inferSelect

/** Serialises a value as JSON with sorted keys and no white space, so that equal values give equal bytes. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${toCanonicalJson(each)}`).join(',')}}`
}

/** Reads the manifest content from the current rows. */
export async function readManifestContent(db: Db, version: StoredVersion, components: readonly StoredComponent[]) {
  const [names] = await db
    .select({ tenant: tenants.tenantNo, model: deviceModels.modelCode })
    .from(deviceModels)
    .leftJoin(tenants, eq(tenants.id, version.tenantId))
    .where(eq(deviceModels.id, version.modelId))
  return {
    format: 'oms-manifest-1',
    tenant: names?.tenant ?? '',
    model: names?.model ?? '',
    kind: version.kind === 1 ? 'firmware' : 'software',
    package: version.packageName,
    verCode: version.verCode,
    verName: version.verName,
    oldVerMin: version.oldVerMin,
    oldVerMax: version.oldVerMax,
    components: components.map(({ name, type, fileName, size, sha256 }) => ({ name, type, fileName, size, sha256 })),
  } satisfies Content
}

/** Returns true when the stored manifest equals the current rows. Returns false for an unreadable manifest. */
export function matchesManifest(manifest: string, content: Content): boolean {
  try {
    const { release: _release, created: _created, expires: _expires, ...said } = JSON.parse(manifest) as Manifest
    return toCanonicalJson(said) === toCanonicalJson(content)
  } catch {
    return false
  }
}

const LOCK = 7303
const seriesOf = ({ tenantId, modelId, packageName }: StoredVersion) =>
  and(eq(otaManifests.tenantId, tenantId), eq(otaManifests.modelId, modelId), eq(otaManifests.packageName, packageName))

/**
 * Writes the manifest with the next release number of its series, or with the given number. Concurrent calls for the
 * same series wait for each other.
 */
export async function writeManifest(
  db: Db,
  version: StoredVersion,
  components: readonly StoredComponent[],
  now: Date,
  kept?: number,
) {
  await db.execute(sql`select pg_advisory_xact_lock(${LOCK}::int, ${version.modelId}::int)`)
  const [last] = await db
    .select({ release: max(otaManifests.release) })
    .from(otaManifests)
    .where(seriesOf(version))
  const release = kept ?? (last?.release ?? 0) + 1
  const expires = new Date(now)
  expires.setUTCFullYear(expires.getUTCFullYear() + MANIFEST_YEARS)
  const content = await readManifestContent(db, version, components)
  const manifest: Manifest = { ...content, release, created: now.toISOString(), expires: expires.toISOString() }
  return { release, expireTime: expires.toISOString(), manifest: toCanonicalJson(manifest) }
}

/** Returns the highest release number of the series that devices may have accepted. */
export async function readLastEnabledRelease(db: Db, version: StoredVersion): Promise<number> {
  const [last] = await db
    .select({ release: max(otaManifests.release) })
    .from(otaManifests)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaManifests.otaId))
    .where(and(seriesOf(version), isNotNull(otaVersions.enableTime)))
  return last?.release ?? 0
}

export async function readManifest(db: Db, otaId: number): Promise<StoredManifest | undefined> {
  const [found] = await db.select().from(otaManifests).where(eq(otaManifests.otaId, otaId))
  return found
}

type Written = Pick<StoredManifest, 'release' | 'manifest' | 'expireTime' | 'signature' | 'keyId' | 'isOwn'>

/** Stores the manifest of a version and replaces the previous manifest. */
export async function storeManifest(db: Db, version: StoredVersion, written: Written, { uid, now }: Who) {
  const { otaId, tenantId, modelId, packageName } = version
  const row = { ...written, tenantId, modelId, packageName, createBy: uid, createTime: now.toISOString() }
  await db
    .insert(otaManifests)
    .values({ otaId, ...row })
    .onConflictDoUpdate({ target: otaManifests.otaId, set: row })
}
interface Who {
  readonly uid: number
  readonly now: Date
}
