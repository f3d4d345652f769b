import type { ReviewedVersionView } from '@oms/contract/advertise/program-publish.ts'
import { and, eq } from 'drizzle-orm'
import { among } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { adMaterials, ads, adVersions, type StoredProgramItem } from '../schema.ts'
import { readItemViews } from '../programs/program-items.ts'

type Reader = Pick<Ctx, 'db' | 'user' | 'services'>

/**
 * Returns the items of a version with the approved content of their ads, which screens play. The edited content of an ad
 * may differ.
 */
export async function readReviewedItems(
  ctx: Reader,
  items: readonly StoredProgramItem[],
): Promise<ReviewedVersionView['items']> {
  const views = await readItemViews(ctx, items, ctx.services.config.timeZone)
  const approved = await readApprovedFacts(
    ctx,
    items.map(({ adId }) => adId),
  )
  return views.map((view) => ({ ...view, approvalUntil: null, ...approved.get(view.adId) }))
}

/** Returns name, type, dates, codec and thumbnail of the approved content of the ads that the caller may see, by id. */
async function readApprovedFacts({ db, user }: Reader, adIds: readonly number[]) {
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
