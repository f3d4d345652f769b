import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  type ManifestView,
  type otaSigning,
  SIGNING_MESSAGES,
  MANIFEST_YEARS,
} from '@oms/contract/upgrade/ota-signing.ts'
import { and, eq, isNotNull, max, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { deviceModels } from '#modules/device/schema.ts'
import type { ArtifactKind } from '../artifact-kind.ts'
import { otaVersions, otaManifests } from '../schema.ts'
import { isIntact } from './scrub.ts'
import {
  listComponents,
  lockVersion,
  formatVersionName,
  type StoredComponent,
  type StoredVersion,
  visibleVersionsOfKind,
} from './version.ts'

type View = z.input<typeof ManifestView>
type Check = View['checks'][number]
type One = ParsedOf<typeof otaSigning.get>

interface Facts {
  readonly version: StoredVersion
  readonly components: StoredComponent[]
  readonly stored: StoredManifest | undefined
  readonly same: boolean
}

async function factsOf(db: Db, user: Ctx['user'], artifact: ArtifactKind, otaId: number): Promise<Facts> {
  const [version] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visibleVersionsOfKind(user, artifact)))
  if (!version) throw notFound(artifact.noun)
  const [components, stored] = [await listComponents(db, otaId), await readManifest(db, otaId)]
  const same =
    stored !== undefined && matchesManifest(stored.manifest, await readManifestContent(db, version, components))
  return { version, components, stored, same }
}

/** Returns the manifest, the signing key and the result of the checks against the database. */
export const getSigning = async (ctx: Ctx, artifact: ArtifactKind, { otaId }: One) =>
  viewOf(ctx, otaId, await factsOf(ctx.db, ctx.user, artifact, otaId))

/** Context fields that reading requires. The command-line interface provides only these. */
type Reader = Pick<Ctx, 'services' | 'user' | 'now'>

/** Runs the same checks and reads every stored byte again. No transaction is open meanwhile. */
export async function verifyVersion(ctx: Reader, artifact: ArtifactKind, { otaId }: One) {
  const facts = await transact(ctx, (db) => factsOf(db, ctx.user, artifact, otaId))
  return viewOf(ctx, otaId, facts, await bytesCheck(ctx, facts.components))
}

/** Lists the public keys for verifying signatures. */
export const listSigningKeys = ({ services: { signing } }: Ctx) => ({
  detachedOnly: signing.detachedOnly,
  keys: [...signing.keys()],
})

/** Writes the manifest for external signing. Invalidates an earlier manifest and its signature. */
export async function prepareManifest(ctx: Ctx, artifact: ArtifactKind, { otaId }: One) {
  const { db, user, now } = ctx
  const version = await lockVersion(db, user, artifact, otaId)
  if (version.status === 1) throw refused(SIGNING_MESSAGES.enabled)
  if (version.modelId === 0) throw refused('请先选择设备型号再生成清单')
  const components = await listComponents(db, otaId)
  if (components.length === 0) throw refused('请先上传组件再生成清单')
  const made = await writeManifest(db, version, components, now)
  await storeManifest(db, version, { ...made, signature: '', keyId: '', isOwn: false }, { uid: user.uid, now })
  ctx.audit({
    bizType: artifact.bizType,
    bizId: otaId,
    action: `生成${artifact.noun}${formatVersionName(version)}的待签名清单，序号 ${made.release}`,
  })
  return viewOf(ctx, otaId, await factsOf(db, user, artifact, otaId))
}

/** Stores the external signature of the prepared manifest. Determines which registered key made the signature. */
export async function storeSignature(
  ctx: Ctx,
  artifact: ArtifactKind,
  { otaId, signature }: ParsedOf<typeof otaSigning.sign>,
) {
  const { db, user, now, services } = ctx
  const version = await lockVersion(db, user, artifact, otaId)
  if (version.status === 1) throw refused(SIGNING_MESSAGES.enabled)
  const stored = await readManifest(db, otaId)
  if (!stored || stored.isOwn) throw refused(SIGNING_MESSAGES.missing)
  const problem = await findDetachedSignatureProblem(db, stored, version, await listComponents(db, otaId), now)
  if (problem) throw refused(problem)
  const keyId = services.signing.signerOf(stored.manifest, signature)
  if (!keyId) throw invalid(SIGNING_MESSAGES.wrong, 'signature')
  await storeManifest(db, version, { ...stored, signature, keyId }, { uid: user.uid, now })
  ctx.audit({
    bizType: artifact.bizType,
    bizId: otaId,
    action: `上传${artifact.noun}${formatVersionName(version)}的清单签名，序号 ${stored.release}`,
    diff: listChanges({}, { keyId }, { keyId: '密钥编号' }),
  })
  return viewOf(ctx, otaId, await factsOf(db, user, artifact, otaId))
}

async function bytesCheck({ services: { files } }: Reader, components: readonly StoredComponent[]): Promise<Check> {
  const damaged: string[] = []
  for (const component of components) if (!(await isIntact(files, component))) damaged.push(component.name)
  const ok = damaged.length === 0
  const words = ok ? `${components.length} 个组件的文件与清单一致` : `组件「${damaged.join('」「')}」的文件已损坏或丢失`
  return { key: 'bytes', title: '组件文件', ok, words }
}

function viewOf({ services: { signing }, now }: Reader, otaId: number, { stored, same }: Facts, bytes?: Check): View {
  const { detachedOnly } = signing
  if (!stored) {
    const none = {
      manifest: '',
      signature: '',
      keyId: '',
      isOwn: false,
      release: null,
      createTime: null,
      expireTime: null,
    }
    return { otaId, state: 0, ...none, detachedOnly, checks: bytes ? [bytes] : [] }
  }
  const checks = [
    checkSignature(signing, stored),
    contentCheck(same),
    expiryCheck(stored, now),
    ...(bytes ? [bytes] : []),
  ]
  const { manifest, signature, keyId, isOwn, release, createTime, expireTime } = stored
  const signed = signature !== ''
  return {
    otaId,
    state: signed ? (checks.every(({ ok }) => ok) ? 2 : 3) : 1,
    manifest,
    signature,
    keyId,
    isOwn,
    release,
    createTime,
    expireTime,
    detachedOnly,
    // Without a signature only the content of the manifest is checked.
    checks: signed ? checks : checks.slice(1),
  }
}

const SIGNATURE_WORDS = {
  valid: '签名与清单一致',
  wrong: '签名与清单不符',
  unknown: '签名的密钥未登记',
} as const

function checkSignature(signing: Ctx['services']['signing'], { manifest, signature, keyId }: StoredManifest): Check {
  const result = signing.check(manifest, signature, keyId)
  return { key: 'signature', title: '签名', ok: result === 'valid', words: SIGNATURE_WORDS[result] }
}

const contentCheck = (same: boolean): Check => ({
  key: 'content',
  title: '内容',
  ok: same,
  words: same ? '清单与版本、组件的记录一致' : '清单与版本、组件的记录不一致',
})

function expiryCheck({ expireTime }: StoredManifest, now: Date): Check {
  const ok = Date.parse(expireTime) > now.getTime()
  return { key: 'expiry', title: '有效期', ok, words: ok ? '在有效期内' : '已过期，停用后重新启用即可更新' }
}

/** Identifies the key and account of the signature with which a version is enabled. */
export interface ReleaseSignature {
  readonly release: number
  readonly keyId: string
}

/**
 * Returns the signature with which a version is enabled: a valid uploaded signature, otherwise the server's
 * signature over a manifest with the next release number. Runs in the transaction that enables the version.
 */
export async function signForRelease(
  { services: { signing }, user, now }: Pick<Ctx, 'services' | 'user' | 'now'>,
  db: Db,
  version: StoredVersion,
  components: readonly StoredComponent[],
): Promise<ReleaseSignature> {
  const stored = await readManifest(db, version.otaId)
  if (stored && !stored.isOwn && stored.signature) {
    const problem = await findDetachedSignatureProblem(db, stored, version, components, now)
    if (problem) throw refused(problem)
    if (signing.check(stored.manifest, stored.signature, stored.keyId) !== 'valid')
      throw refused(SIGNING_MESSAGES.wrong)
    return stored
  }
  if (signing.detachedOnly) throw refused(SIGNING_MESSAGES.needed)
  const made = await writeManifest(db, version, components, now)
  const signature = signing.sign(made.manifest)
  await storeManifest(db, version, { ...made, ...signature, isOwn: true }, { uid: user.uid, now })
  return { release: made.release, keyId: signature.keyId }
}

/**
 * Signs the manifest of an enabled version again after an edit of its content. The release number stays, so that
 * devices still accept the newer versions. Refuses an uploaded signature, which the server cannot renew.
 */
export async function signEditedVersion(
  { services: { signing }, user, now, db }: Ctx,
  version: StoredVersion,
  components: readonly StoredComponent[],
) {
  const stored = await readManifest(db, version.otaId)
  if (!stored || matchesManifest(stored.manifest, await readManifestContent(db, version, components))) return
  if (!stored.isOwn || signing.detachedOnly) throw refused(SIGNING_MESSAGES.signed)
  const made = await writeManifest(db, version, components, now, stored.release)
  await storeManifest(db, version, { ...made, ...signing.sign(made.manifest), isOwn: true }, { uid: user.uid, now })
}

/** Returns the reason why an uploaded signature is no longer valid. */
async function findDetachedSignatureProblem(
  db: Db,
  stored: StoredManifest,
  version: StoredVersion,
  components: readonly StoredComponent[],
  now: Date,
): Promise<string | undefined> {
  if (!matchesManifest(stored.manifest, await readManifestContent(db, version, components)))
    return SIGNING_MESSAGES.changed
  if (Date.parse(stored.expireTime) <= now.getTime()) return SIGNING_MESSAGES.expired
  if (stored.release < (await readLastEnabledRelease(db, version))) return SIGNING_MESSAGES.behind
  return undefined
}

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
interface Manifest extends Content {
  /** Increasing release number. Protects devices against downgrades and replayed manifests. */
  readonly release: number
  readonly created: string
  readonly expires: string
}
type StoredManifest = typeof otaManifests.$inferSelect

/** Serialises a value as JSON with sorted keys and no white space, so that equal values give equal bytes. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${toCanonicalJson(each)}`).join(',')}}`
}

/** Reads the manifest content from the current rows. */
async function readManifestContent(db: Db, version: StoredVersion, components: readonly StoredComponent[]) {
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
function matchesManifest(manifest: string, content: Content): boolean {
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
async function writeManifest(
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
async function readLastEnabledRelease(db: Db, version: StoredVersion): Promise<number> {
  const [last] = await db
    .select({ release: max(otaManifests.release) })
    .from(otaManifests)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaManifests.otaId))
    .where(and(seriesOf(version), isNotNull(otaVersions.enableTime)))
  return last?.release ?? 0
}

async function readManifest(db: Db, otaId: number): Promise<StoredManifest | undefined> {
  const [found] = await db.select().from(otaManifests).where(eq(otaManifests.otaId, otaId))
  return found
}

type Written = Pick<StoredManifest, 'release' | 'manifest' | 'expireTime' | 'signature' | 'keyId' | 'isOwn'>

/** Stores the manifest of a version and replaces the previous manifest. */
async function storeManifest(db: Db, version: StoredVersion, written: Written, { uid, now }: Who) {
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
