import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { forbidden, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { saveUpload } from '#core/storage/save-upload.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { isAdMaterial, recordMaterial } from './materials.ts'
import { adMaterials } from '../schema.ts'
import { presentMaterial } from './ad-rows.ts'

/** Stores one file of an ad. The server reads materials in the background. */
export async function uploadMaterial(ctx: Ctx, { purpose }: ParsedOf<typeof calls.upload>) {
  if (ctx.user.tenantId === null) throw forbidden()
  const row = await saveUpload(ctx, purpose)
  if (isAdMaterial(purpose)) await recordMaterial(ctx, row)
  return row
}

export async function getProbeResult({ db, user }: Ctx, { fileId }: ParsedOf<typeof calls.probe>) {
  const [found] = await db
    .select()
    .from(adMaterials)
    .where(and(eq(adMaterials.fileId, fileId), scoped(user, { tenant: adMaterials.tenantId })))
  if (!found) throw notFound('素材')
  return presentMaterial(found)
}
