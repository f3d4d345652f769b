import { COMPONENT_TYPE, COMPONENT_URL, OTA_MESSAGES, type OtaComponentInput } from '@oms/contract/upgrade/ota.ts'
import { and, asc, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { otaComponents, otaVersions } from '../schema-ota.ts'
import { files } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

type Sent = z.output<typeof OtaComponentInput>
type StoredFile = typeof files.$inferSelect
export type NewComponent = Omit<typeof otaComponents.$inferInsert, 'otaId' | 'id'>

const fileIdOf = (url: string) => COMPONENT_URL.exec(url)?.[1] ?? ''

/**
 * Returns the components of a save, with the size and digests that the server computed at upload. Each file must be
 * a component uploaded by this tenant. Marks the files as used.
 */
export async function claimComponents(ctx: Ctx, tenantId: number, sent: readonly Sent[]): Promise<NewComponent[]> {
  const found = await lockFiles(ctx, tenantId, [...new Set(sent.map(({ url }) => fileIdOf(url)))])
  const claimed = sent.map((component, sort) => componentFrom(component, sort, found))
  await ctx.db
    .update(files)
    .set({ tenantId, usedTime: sql`coalesce(${files.usedTime}, now())` as unknown as string })
    .where(inArray(files.id, [...found.keys()]))
  return claimed
}

/** Locks the files in the order of their ids, so that two saves of the same files cannot deadlock. */
async function lockFiles({ db, user }: Ctx, tenantId: number, ids: string[]): Promise<Map<string, StoredFile>> {
  if (ids.length === 0) return new Map()
  // Staff who edit a version of another tenant upload under their own tenant. An unused upload moves to the
  // version's tenant.
  const fresh = user.tenantId === null ? undefined : and(eq(files.tenantId, user.tenantId), isNull(files.usedTime))
  const rows = await db
    .select()
    .from(files)
    .where(and(inArray(files.id, ids), eq(files.purpose, 'component'), or(eq(files.tenantId, tenantId), fresh)))
    .orderBy(asc(files.id))
    .for('update')
  return new Map(rows.map((file) => [file.id, file]))
}

function componentFrom(sent: Sent, sort: number, found: Map<string, StoredFile>): NewComponent {
  const { name, type, url } = sent
  const file = found.get(fileIdOf(url))
  if (!file) throw invalid(OTA_MESSAGES.file, `components.${sort}.url`)
  const differs = (['size', 'md5', 'sha1', 'sha256'] as const).some(
    (key) => sent[key] !== undefined && sent[key] !== file[key],
  )
  if (differs) throw invalid(`组件「${name}」的大小或校验值与已上传的文件不一致，请重新上传`, `components.${sort}.url`)
  const { id: fileId, name: fileName, size, md5, sha1, sha256 } = file
  return { sort, name, type, fileId, fileName, url, size, md5, sha1, sha256 }
}

/** Marks files that no existing version references as unused. The garbage collector deletes them after a day. */
export async function markFilesUnused(db: Db, fileIds: readonly string[]) {
  if (fileIds.length === 0) return
  const named = db
    .select({ id: otaComponents.fileId })
    .from(otaComponents)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaComponents.otaId))
    .where(and(notDeleted(otaVersions), inArray(otaComponents.fileId, [...fileIds])))
  await db
    .update(files)
    .set({ usedTime: null })
    .where(and(inArray(files.id, [...fileIds]), sql`${files.id} not in (${named})`))
}

type Described = Pick<NewComponent, 'name' | 'type' | 'size' | 'md5' | 'sha1' | 'sha256'>

/** Describes components for the operation log, one line each with digests. */
export const describeComponents = (components: readonly Described[]) =>
  components.map(
    ({ name, type, size, md5, sha1, sha256 }) =>
      `${name}（${COMPONENT_TYPE[type as keyof typeof COMPONENT_TYPE] ?? type}）${size} 字节 md5:${md5} sha1:${sha1} sha256:${sha256}`,
  )
