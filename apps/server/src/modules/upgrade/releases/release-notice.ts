import type { Db } from '#core/database/client.ts'
import { notices } from '#core/schema/system.ts'
import type { Services } from '#core/services.ts'

interface News {
  readonly tenantId: number
  readonly uids: readonly (number | null)[]
  readonly title: string
  readonly text: string
  readonly now: Date
}

const ACCOUNTS = 4
const PUBLISHED = 1
const HIGH = 3
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Writes a message to the inbox of the accounts and notifies their open consoles. */
export async function sendReleaseMessage(
  { events }: Pick<Services, 'events'>,
  db: Db,
  { tenantId, now, ...news }: News,
) {
  const uids = [...new Set(news.uids.filter((uid): uid is number => uid !== null))]
  if (uids.length === 0) return
  const title = news.title.slice(0, 50)
  const time = now.toISOString()
  const [made] = await db
    .insert(notices)
    .values({
      tenantId,
      title,
      content: `<p>${escapeHtml(news.text)}</p>`,
      summary: news.text.slice(0, 200),
      priority: HIGH,
      target: ACCOUNTS,
      targetIds: uids,
      status: PUBLISHED,
      publishTime: time,
      createTime: time,
      updateTime: time,
    })
    .returning({ noticeId: notices.noticeId })
  if (made) await events.publish(db, 'notice', { noticeId: made.noticeId, title, uids })
}
