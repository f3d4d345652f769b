import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type ManifestView, type otaSigning, SIGNING_MESSAGES } from '@oms/contract/upgrade/ota-signing.ts'
import { and, eq } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { otaVersions } from '../schema-ota.ts'
import type { Ctx } from '#core/http/context.ts'
import { listChanges } from '#core/audit/mask.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import type { ArtifactKind } from './ota-artifact-kind.ts'
import {
  writeManifest,
  readManifestContent,
  readManifest,
  storeManifest,
  matchesManifest,
  type StoredManifest,
} from './ota-manifest.ts'
import {
  listComponents,
  lockVersion,
  formatVersionName,
  type StoredComponent,
  type StoredVersion,
  visibleVersionsOfKind,
} from './ota-rows.ts'
import { findDetachedSignatureProblem } from './ota-sign.ts'
import { isIntact } from './ota-verify.ts'

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
