import { SIGNING_MESSAGES } from '@oms/contract/upgrade/ota-signing.ts'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import { refused } from '#core/http/api-error.ts'
import {
  writeManifest,
  readManifestContent,
  readLastEnabledRelease,
  readManifest,
  storeManifest,
  matchesManifest,
  type StoredManifest,
} from './ota-manifest.ts'
import type { StoredComponent, StoredVersion } from './ota-rows.ts'

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
export async function findDetachedSignatureProblem(
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
