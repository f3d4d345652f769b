import type { programOptions as calls } from '@oms/contract/advertise/program-options.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and } from 'drizzle-orm'
import { among } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { readApprovedAds } from '#domain/ads/approved-ads.ts'
import { adMaterials, ads } from '#schema/advertise.ts'
import { signPackageQuery } from '../ads/package-preview.ts'

/** Returns the files of the approved contents of ads that the caller may put into programs. Other ads have none. */
export async function listPreviewFiles(ctx: Ctx, { adIds }: ParsedOf<typeof calls.files>) {
  const { db, user } = ctx
  const offered = await db
    .select({ id: ads.id })
    .from(ads)
    .where(and(notDeleted(ads), scoped(user, { tenant: ads.tenantId }), among(ads.id, adIds)))
  const approved = await readApprovedAds(
    db,
    offered.map(({ id }) => id),
  )
  const ids = [...approved.values()].flatMap(({ ad }) => ad.files.map(({ materialId }) => materialId))
  const rows = await db
    .select({
      id: adMaterials.id,
      sha256: adMaterials.sha256,
      fileId: adMaterials.fileId,
      pageFileId: adMaterials.pageFileId,
    })
    .from(adMaterials)
    .where(among(adMaterials.id, ids))
  const [packages, files] = [rows.filter(({ pageFileId }) => pageFileId), rows.filter(({ pageFileId }) => !pageFileId)]
  return {
    files: files.map(({ sha256, fileId }) => ({ sha256, url: formatFileUrl(fileId) })),
    packages: packages.map(({ sha256, id }) => ({ sha256, query: signPackageQuery(ctx, id) })),
  }
}
