import type { programOptions as calls } from '@oms/contract/advertise/program-options.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and } from 'drizzle-orm'
import { among } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { readApprovedAds } from '../approved-ads.ts'
import { adMaterials, ads } from '../schema.ts'
import { signPackageQuery } from '../ads/package-preview.ts'

/** Returns the files of the approved content of ads that the caller may put into programs. Omits other ads. */
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
  // The sha256 of a package in a manifest is that of the page that the server made from the archive.
  const shown = [...approved.values()].flatMap(({ ad }) => ad.files)
  const rows = await db
    .select({ id: adMaterials.id, fileId: adMaterials.fileId, pageFileId: adMaterials.pageFileId })
    .from(adMaterials)
    .where(
      among(
        adMaterials.id,
        shown.map(({ materialId }) => materialId),
      ),
    )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const files = []
  const packages = []
  for (const { materialId, sha256 } of shown) {
    const material = byId.get(materialId)
    if (material?.pageFileId) packages.push({ sha256, query: signPackageQuery(ctx, materialId) })
    else if (material) files.push({ sha256, url: formatFileUrl(material.fileId) })
  }
  return { files, packages }
}
