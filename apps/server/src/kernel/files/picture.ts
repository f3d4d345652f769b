import { and, eq, sql } from 'drizzle-orm'
import { files } from '#db/schema/system.ts'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/problem.ts'

interface Change {
  readonly before: string
  /** Empty: none any more. */
  readonly after: string
  /** The form's field, and what it is called. */
  readonly field: string
  readonly title: string
}

/**
 * Changes the picture of a row, called before the row itself is written: the new one is a file this account sent as one
 * and any other address is refused; the one it replaces is swept away later unless another row shows it.
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
