import { SIGNING_MESSAGES } from '@oms/contract/ota-signing.ts'
import type { Db } from '#db/client.ts'
import type { Ctx } from '#kernel/context.ts'
import { refused } from '#kernel/problem.ts'
import {
  compose,
  contentOf,
  lastEnabled,
  manifestOf,
  putManifest,
  saysSame,
  type StoredManifest,
} from './ota-manifest.ts'
import type { StoredComponent, StoredVersion } from './ota-rows.ts'

/** Whose signature a version is enabled with. */
export interface Signed {
  readonly release: number
  readonly keyId: string
}

/**
 * The signature a version is enabled with: one made elsewhere and uploaded before, if it still holds; else the server's
 * own, over a statement with the next number. Part of the transaction that enables.
 */
export async function signForRelease(
  { kernel: { signing }, user, now }: Pick<Ctx, 'kernel' | 'user' | 'now'>,
  db: Db,
  version: StoredVersion,
  components: readonly StoredComponent[],
): Promise<Signed> {
  const stored = await manifestOf(db, version.otaId)
  if (stored && !stored.isOwn && stored.signature) {
    const problem = await detachedProblem(db, stored, version, components, now)
    if (problem) throw refused(problem)
    if (signing.check(stored.manifest, stored.signature, stored.keyId) !== 'valid')
      throw refused(SIGNING_MESSAGES.wrong)
    return stored
  }
  if (signing.detachedOnly) throw refused(SIGNING_MESSAGES.needed)
  const made = await compose(db, version, components, now)
  const signature = signing.sign(made.manifest)
  await putManifest(db, version, { ...made, ...signature, isOwn: true }, { uid: user.uid, now })
  return { release: made.release, keyId: signature.keyId }
}

/** Why a statement signed elsewhere cannot be used any more. */
export async function detachedProblem(
  db: Db,
  stored: StoredManifest,
  version: StoredVersion,
  components: readonly StoredComponent[],
  now: Date,
): Promise<string | undefined> {
  if (!saysSame(stored.manifest, await contentOf(db, version, components))) return SIGNING_MESSAGES.changed
  if (Date.parse(stored.expireTime) <= now.getTime()) return SIGNING_MESSAGES.expired
  if (stored.release < (await lastEnabled(db, version))) return SIGNING_MESSAGES.behind
  return undefined
}
