import type { Db } from '#core/database/client.ts'
import { notices } from '#core/schema/system.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

/** A message that the system sends to individual accounts. */
export interface InboxMessage {
  readonly title: string
  /** Plain text. This module escapes the text for HTML. */
  readonly text: string
  /** Link below the text, to a path of the console. */
  readonly link?: { readonly path: string; readonly text: string }
  readonly uids: readonly number[]
  /** 1 low, 2 medium, 3 high. */
  readonly priority?: 1 | 2 | 3
}

const SYSTEM = 3
const ACCOUNTS = 4
const PUBLISHED = 1
/** Maximum number of accounts in one NOTIFY, whose payload is limited to 8,000 bytes. */
const MAX_NOTIFIED_ACCOUNTS = 500
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)
const linkOf = ({ path, text }: NonNullable<InboxMessage['link']>) =>
  `<a href="${escapeHtml(path)}">${escapeHtml(text)}</a>`

/**
 * Writes a system message to the inboxes of accounts and notifies their open consoles. The platform owns the
 * message, so that accounts without a tenant receive it too. Must not run in a transaction with row-level security.
 */
export async function sendMessage({ events }: Pick<Services, 'events'>, db: Db, message: InboxMessage) {
  const { title, text, priority = 2, link } = message
  const uids = [...new Set(message.uids)]
  if (uids.length === 0) return
  const at = new Date().toISOString()
  const [made] = await db
    .insert(notices)
    .values({
      tenantId: PLATFORM_TENANT_ID,
      title: title.slice(0, 50),
      type: SYSTEM,
      priority,
      content: [...text.split('\n').map(escapeHtml), ...(link ? [linkOf(link)] : [])]
        .map((line) => `<p>${line}</p>`)
        .join(''),
      summary: text.slice(0, 200),
      target: ACCOUNTS,
      targetIds: uids,
      status: PUBLISHED,
      publishTime: at,
    })
    .returning({ noticeId: notices.noticeId })
  const noticeId = made!.noticeId
  for (let from = 0; from < uids.length; from += MAX_NOTIFIED_ACCOUNTS)
    await events.publish(db, 'notice', {
      noticeId,
      title: title.slice(0, 50),
      uids: uids.slice(from, from + MAX_NOTIFIED_ACCOUNTS),
    })
}
