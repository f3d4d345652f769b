import { and, eq, sql } from 'drizzle-orm'
import { files } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'

interface Change {
  readonly before: string
  /** Empty when the picture is removed. */
  readonly after: string
  /** Field of the form and its title. */
  readonly field: string
  readonly title: string
}

/**
 * Changes the picture of a row; call this function before writing the row. The new picture must be an image that this
 * account uploaded; other URLs are refused. Cleanup deletes the replaced picture later unless another row shows it.
 */
export async function changePicture({ db, user, now }: Ctx, { before, after, field, title }: Change) {
  if (after === before) return
  if (after !== '') {
    const [adopted] = await db
      .update(files)
      .set({ usedTime: now.toISOString() })
      .where(and(eq(files.id, fileOf(after)), eq(files.uid, user.uid), eq(files.purpose, 'image')))
      .returning({ id: files.id })
    if (!adopted) throw invalid(`${title}不正确，请重新上传`, field)
  }
  if (before === '') return
  const { rows } = await db.execute<{ shown: number }>(sql`select (
    (select count(*) from device_models where picture = ${before} and deleted_at is null) +
    (select count(*) from tenants where logo = ${before} and deleted_at is null) +
    (select count(*) from scenes where cover = ${before} and deleted_at is null))::int as shown`)
  if ((rows[0]?.shown ?? 0) <= 1)
    await db
      .update(files)
      .set({ usedTime: null })
      .where(and(eq(files.id, fileOf(before)), eq(files.purpose, 'image')))
}

const fileOf = (address: string) => address.slice(-32)
