import { eq } from 'drizzle-orm'
import { accounts } from '#core/schema/account.ts'
import type { Db } from './client.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { StaleError } from '#core/http/api-error.ts'

interface Revised {
  rev: number
  updateBy: number | null
  updateTime: string
}

/**
 * Refuses a save made from an older revision than the stored one. Read the row `for update` first, so that concurrent
 * saves wait and the second save is refused. Calls of the specification may omit the revision.
 */
export async function checkRevision(db: Db, stored: Revised, sent: number | undefined) {
  if (sent === undefined || stored.rev === sent) return
  const [editor] = stored.updateBy
    ? await db
        .select({ name: accounts.realname, tenantId: accounts.tenantId })
        .from(accounts)
        .where(eq(accounts.uid, stored.updateBy))
    : []
  throw new StaleError({
    by: editor?.name ?? '',
    editor: stored.updateBy,
    // Row-level security hides accounts of the platform from accounts of tenants. An editor that is not found is
    // therefore staff of the platform.
    isPlatformEditor: Boolean(stored.updateBy) && (!editor || editor.tenantId === PLATFORM_TENANT_ID),
    at: stored.updateTime,
    rev: stored.rev,
  })
}

/** Returns the note that the operation log adds to the action of a save without a revision; empty with a revision. */
export const describeMissingRevision = (sent: number | undefined) =>
  sent === undefined ? '（未带版本信息，按当前内容保存）' : ''

/** Returns the columns that every update of an audited row sets. */
export const updateColumns = (stored: { rev: number }, uid: number | null, now: Date) => ({
  rev: stored.rev + 1,
  updateBy: uid,
  updateTime: now.toISOString(),
})
