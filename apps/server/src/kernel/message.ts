import type { Db } from '#db/client.ts'
import { notices } from '#db/schema/system.ts'
import type { Kernel } from './kernel.ts'
import { PLATFORM_TENANT_ID } from './tenancy.ts'

/** A message the system writes to single accounts by itself. */
export interface Message {
  readonly title: string
  /** Plain text; escaped here. */
  readonly text: string
  readonly uids: readonly number[]
  /** 1 low, 2 middle, 3 high. */
  readonly priority?: 1 | 2 | 3
}

const SYSTEM = 3
const ACCOUNTS = 4
const PUBLISHED = 1
/** Accounts named in one announcement, which has to stay under 8,000 bytes. */
const TOLD = 500
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)

/**
 * Puts a message of the system into the inboxes of these accounts and tells their open consoles. It is the platform's,
 * so that people without a tenant get it too: not for a transaction behind the tenant wall.
 */
export async function sendMessage({ events }: Pick<Kernel, 'events'>, db: Db, message: Message) {
  const { title, text, priority = 2 } = message
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
      content: text
        .split('\n')
        .map((line) => `<p>${escaped(line)}</p>`)
        .join(''),
      summary: text.slice(0, 200),
      target: ACCOUNTS,
      targetIds: uids,
      status: PUBLISHED,
      publishTime: at,
    })
    .returning({ noticeId: notices.noticeId })
  const noticeId = made!.noticeId
  for (let from = 0; from < uids.length; from += TOLD)
    await events.publish(db, 'notice', { noticeId, title: title.slice(0, 50), uids: uids.slice(from, from + TOLD) })
}
