import { eq } from 'drizzle-orm'
import { settings } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import type { Db } from './client.ts'
import { checkRevision, updateColumns } from './optimistic-lock.ts'

/** Returns the stored value of a setting and its revision; without a row undefined and 0. */
export async function readSetting(db: Db, key: string): Promise<{ readonly value: unknown; readonly rev: number }> {
  const [row] = await db
    .select({ value: settings.value, rev: settings.rev })
    .from(settings)
    .where(eq(settings.key, key))
  return row ?? { value: undefined, rev: 0 }
}

/** Saves a setting that a form edits. Refuses a save made from an older revision than the stored one. */
export async function saveSetting({ db, user, now }: Ctx, key: string, value: object, rev: number): Promise<void> {
  // The first save makes the row, so that two first saves wait for each other.
  await db.insert(settings).values({ key, value }).onConflictDoNothing()
  const [stored] = await db.select().from(settings).where(eq(settings.key, key)).for('update')
  await checkRevision(db, stored!, rev)
  await db
    .update(settings)
    .set({ value, ...updateColumns(stored!, user.uid, now) })
    .where(eq(settings.key, key))
}
