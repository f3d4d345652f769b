import { formatNotWaitingMessage, type programPublish as calls } from '@oms/contract/advertise/program-publish.ts'
import { PROGRAM_VERSION_STATE } from '@oms/contract/advertise/program-words.ts'
import type { ParsedOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { type ApiError, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { withFileDurations } from '../file-durations.ts'
import { buildManifest, loadAdsOfPrograms } from '../manifests/manifest-of.ts'
import { assertProgramInScope } from '../program-scope.ts'
import { hideAdContents } from '../programs/hidden-ads.ts'
import { readFileMs, readProgram } from '../programs/program-rows.ts'
import { presentVersions, readVersions } from './program-versions.ts'
import { readReviewedItems } from './reviewed-items.ts'

type StoredVersion = Awaited<ReturnType<typeof readVersions>>[number]

/**
 * Returns the content of a version for its approver. Videos last as long as their approved files, as on screens. Also
 * returns decided and withdrawn versions, so that the console can show their state.
 */
export async function getProgramReview(
  ctx: Ctx,
  { id, verNo }: ParsedOf<typeof calls.review>,
): Promise<ResultOf<typeof calls.review>> {
  const { db, user } = ctx
  const program = await readProgram(ctx, id)
  await assertProgramInScope(db, user, id)
  const { waitingVer, publishedVer, status } = program
  const stored = await readVersions(ctx, id, [verNo, publishedVer])
  const fileMs = await readFileMs(
    db,
    stored.map(({ body }) => body),
  )
  const versions = stored.map((each) => ({ ...each, body: withFileDurations(each.body, fileMs) }))
  const version = versions.find((each) => each.verNo === verNo)
  if (!version) throw notFound('版本')
  const inForce = versions.find((each) => each.verNo === publishedVer && each.verNo !== verNo)
  return {
    version: await presentReviewed(ctx, version),
    inForce: inForce ? await presentReviewed(ctx, inForce) : null,
    waitingVer,
    status,
    manifest: await buildReviewManifest(ctx, version),
  }
}

async function presentReviewed(ctx: Ctx, version: StoredVersion) {
  const [shown] = await presentVersions(ctx, [version])
  const items = await readReviewedItems(ctx, version.body.items)
  return { ...shown!, isDefault: version.body.fallback > 0 ? 1 : 0, items }
}

/** Returns the manifest of a screen that plays only the version. Hides ad contents that the caller may not see. */
const buildReviewManifest = (ctx: Ctx, { body }: StoredVersion) =>
  withoutRowSecurity(ctx, async (db) => {
    const manifest = buildManifest(ctx.services.config.timeZone, [body], await loadAdsOfPrograms(db, [body]))
    return hideAdContents({ db, user: ctx.user }, manifest)
  })

/** Returns the error of a decision about a version that does not wait for approval. */
export async function createNotWaitingError(ctx: Ctx, programId: number, verNo: number): Promise<ApiError> {
  const [found] = await readVersions(ctx, programId, [verNo])
  if (!found || found.state === PROGRAM_VERSION_STATE.waiting) return notFound('版本')
  const { waitingVer } = await readProgram(ctx, programId)
  const { state, auditByName } = found
  return refused(formatNotWaitingMessage({ verNo, state, auditByName, waitingVer }))
}
