import { eq } from 'drizzle-orm'
import { accounts } from '#db/schema/account.ts'
import type { Db } from '#db/client.ts'
import { stale } from './problem.ts'

interface Revised {
  rev: number
  updateBy: number | null
  updateTime: string
}

/**
 * Refuses a save made from an older revision than the stored one. Read the row `for update` first: two saves at the
 * same moment then queue, and the second one is told.
 */
export async function checkRevision(db: Db, stored: Revised, sent: number) {
  if (stored.rev === sent) return
  const [editor] = stored.updateBy
    ? await db.select({ name: accounts.realname }).from(accounts).where(eq(accounts.uid, stored.updateBy))
    : []
  throw stale(editor?.name ?? '', stored.updateTime, stored.rev)
}

/** What every update of an audited row sets besides its fields. */
export const touched = (stored: { rev: number }, uid: number | null, now: Date) => ({
  rev: stored.rev + 1,
  updateBy: uid,
  updateTime: now.toISOString(),
})
