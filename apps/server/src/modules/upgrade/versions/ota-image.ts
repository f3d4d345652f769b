import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { otaImages } from '@oms/contract/upgrade/app-image.ts'
import { and, eq } from 'drizzle-orm'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { scoped, transact } from '#core/tenancy/tenancy.ts'
import { readAppImage } from './app-image.ts'
import { files } from '#core/schema/system.ts'

/** Returns the application descriptor of an uploaded component. */
export async function getImage(ctx: Ctx, { fileId }: ParsedOf<typeof otaImages.get>) {
  const { user, services } = ctx
  const [file] = await transact(ctx, (db) =>
    db
      .select({ sha256: files.sha256, size: files.size })
      .from(files)
      .where(and(eq(files.id, fileId), eq(files.purpose, 'component'), scoped(user, { tenant: files.tenantId }))),
  )
  if (!file) throw notFound('文件')
  return { image: (await readAppImage(services.files, file.sha256, file.size)) ?? null }
}
