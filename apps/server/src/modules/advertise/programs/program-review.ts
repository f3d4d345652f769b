import {
  formatNotWaitingMessage,
  type programPublish as calls,
  type ReviewedVersionView,
} from '@oms/contract/advertise/program-publish.ts'
import { PROGRAM_VERSION_STATE } from '@oms/contract/advertise/program-words.ts'
import type { programs } from '@oms/contract/advertise/program.ts'
import type { ParsedOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { paginate, among } from '#core/database/lists/list-query.ts'
import { type ApiError, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { withoutRowSecurity, scoped } from '#core/tenancy/tenancy.ts'
import { withFileDurations } from '../content.ts'
import { buildManifest, loadAdsOfPrograms } from '../manifests/manifest.ts'
import { adProgramVersions, adMaterials, ads, adVersions, type StoredProgramItem } from '../schema.ts'
import { assertProgramInScope, buildOutOfScopeVersionCondition } from '../scope.ts'
import { hideAdContents, HIDDEN_AD_NAME, readAdNames, sumItemSeconds, readItemViews } from './program-items.ts'
import { readTargetNames } from './program-targets.ts'
import { readFileMs, readProgram, toRuleColumns } from './program.ts'

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

async function presentReviewed(ctx: Ctx, version: SelectedVersion) {
  const [shown] = await presentVersions(ctx, [version])
  const items = await readReviewedItems(ctx, version.body.items)
  return { ...shown!, isDefault: version.body.fallback > 0 ? 1 : 0, items }
}

/**
 * Returns the manifest of a screen that plays only the version. Reads without row-level security, because a program may
 * contain ads of another tenant; hides ad contents that the caller may not see.
 */
const buildReviewManifest = (ctx: Ctx, { body }: SelectedVersion) =>
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

const publisher = alias(accounts, 'publisher')
const auditor = alias(accounts, 'auditor')

const selectVersions = ({ db, user }: Pick<Ctx, 'db' | 'user'>) =>
  db
    .select({
      ...getTableColumns(adProgramVersions),
      isBeyondScope: buildOutOfScopeVersionCondition(user, adProgramVersions).as('is_beyond_scope'),
      publishByName: sql<string>`coalesce(${publisher.realname}, '')`.as('publish_by_name'),
      auditByName: sql<string>`coalesce(${auditor.realname}, '')`.as('audit_by_name'),
    })
    .from(adProgramVersions)
    .leftJoin(publisher, eq(publisher.uid, adProgramVersions.publishBy))
    .leftJoin(auditor, eq(auditor.uid, adProgramVersions.auditBy))
type SelectedVersion = Awaited<ReturnType<typeof selectVersions>>[number]

export async function listProgramVersions(ctx: Ctx, { id, ...page }: ParsedOf<typeof programs.versions>) {
  await readProgram(ctx, id)
  const rows = selectVersions(ctx).where(eq(adProgramVersions.programId, id)).$dynamic()
  const found = await paginate(ctx.db, rows, page, [desc(adProgramVersions.verNo)])
  return { ...found, list: await presentVersions(ctx, found.list) }
}

/** Returns the versions with these numbers. Ignores numbers without a version. */
const readVersions = (ctx: Pick<Ctx, 'db' | 'user'>, programId: number, verNos: readonly number[]) =>
  selectVersions(ctx).where(
    and(eq(adProgramVersions.programId, programId), inArray(adProgramVersions.verNo, [...verNos])),
  )

/** Serialises versions for the console. */
async function presentVersions({ db, user }: Pick<Ctx, 'db' | 'user'>, versions: readonly SelectedVersion[]) {
  const adNames = await readAdNames(
    { db, user },
    versions.flatMap(({ body }) => body.items.map(({ adId }) => adId)),
  )
  const targets = await versionTargets(db, user, versions)
  return versions.map(({ body, targetIds, isBeyondScope, ...version }) => ({
    ...version,
    screens: isBeyondScope ? null : version.screens,
    ...toRuleColumns(body),
    itemCount: body.items.length,
    totalDuration: sumItemSeconds(body.items),
    adNames: body.items.map(({ adId }) => adNames.get(adId) ?? HIDDEN_AD_NAME),
    targets: targets({ ...version, targetIds }),
    targetCount: targetIds.length,
  }))
}

/** Reads the names of the targets of several versions, with one statement for each kind of target. */
async function versionTargets(db: Db, user: User, versions: readonly SelectedVersion[]) {
  const names = new Map<string, string>()
  for (const [targetType, same] of Map.groupBy(versions, (version) => version.targetType)) {
    const targetIds = [...new Set(same.flatMap((version) => version.targetIds))]
    const found = await readTargetNames(db, user, { tenantId: same[0]?.tenantId ?? 0, targetType, targetIds })
    for (const { id, name } of found) names.set(`${targetType}.${id}`, name)
  }
  return ({ targetType, targetIds }: Pick<SelectedVersion, 'targetType' | 'targetIds'>) =>
    targetIds.flatMap((id) => {
      const name = names.get(`${targetType}.${id}`)
      return name === undefined ? [] : [{ id, name }]
    })
}

/**
 * Returns the items of a version with the approved content of their ads, which screens play. The edited content of an ad
 * may differ.
 */
async function readReviewedItems(ctx: Ctx, items: readonly StoredProgramItem[]): Promise<ReviewedVersionView['items']> {
  const views = await readItemViews(ctx, items)
  const approved = await readApprovedFacts(
    ctx,
    items.map(({ adId }) => adId),
  )
  return views.map((view) => ({ ...view, approvalUntil: null, ...approved.get(view.adId) }))
}

/** Returns name, type, dates, codec and thumbnail of the approved content of the ads that the caller may see, by id. */
async function readApprovedFacts({ db, user }: Ctx, adIds: readonly number[]) {
  const rows = await db
    .select({ id: ads.id, body: adVersions.body })
    .from(ads)
    .innerJoin(adVersions, and(eq(adVersions.adId, ads.id), eq(adVersions.verNo, ads.approvedVer)))
    .where(and(among(ads.id, [...new Set(adIds)]), scoped(user, { tenant: ads.tenantId })))
  const materialIds = rows.flatMap(({ body }) => body.files.map(({ materialId }) => materialId))
  const materials = await db
    .select({ id: adMaterials.id, thumb: adMaterials.thumbFileId })
    .from(adMaterials)
    .where(among(adMaterials.id, materialIds))
  const thumbs = new Map(materials.map(({ id, thumb }) => [id, thumb]))
  return new Map(
    rows.map(({ id, body: { name, type, validTo, approvalUntil, files } }) => {
      const thumb = files.map(({ materialId }) => thumbs.get(materialId)).find(Boolean)
      const thumbUrl = thumb ? formatFileUrl(thumb) : ''
      return [id, { adName: name, adType: type, validTo, approvalUntil, thumbUrl, codec: files[0]?.codec ?? '' }]
    }),
  )
}
