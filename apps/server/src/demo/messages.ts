import { NoticeInput, notices as calls } from '@oms/contract/system/notice.ts'
import { eq } from 'drizzle-orm'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { markNoticeRead } from '#modules/system/inbox.ts'
import { createNotice, publishDraft } from '#modules/system/notice.ts'
import { type Actor, runAsActor } from '#core/auth/system-actor.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { CUSTOMER_NOTICE, DRAFT_NOTICE, DEMO_NOTICES, READ_BY_DEMO, PLATFORM_ONLY_NOTICES } from './vendor.ts'

/**
 * Creates demo notices: to all accounts or to the staff of the platform (some already read by the demo account), to
 * strategic tenants, and a draft.
 */
export async function seedDemoNotices(services: Services, demo: Actor) {
  for (const [place, [title, type, priority, text]] of DEMO_NOTICES.entries()) {
    const id = await write(services, demo, {
      title,
      type,
      priority,
      content: `<p>${text}</p>`,
      ...(PLATFORM_ONLY_NOTICES.has(title) ? { target: 2, targetIds: [PLATFORM_TENANT_ID] } : { target: 1 }),
      isTop: place === 2 ? 1 : 0,
    })
    await send(services, demo, id)
    if (place < READ_BY_DEMO)
      await runAsActor(services, demo, { name: 'read', ...NO_LOG, input: { id } }, (ctx) =>
        markNoticeRead(ctx, { id, confirm: 0 }),
      )
  }
  const strategic = await services.database.db.select({ id: tenants.id }).from(tenants).where(eq(tenants.level, 3))
  const targetIds = strategic.map(({ id }) => id)
  const content = '<p>专属技术支持电话与升级窗口说明见内文。</p>'
  await send(
    services,
    demo,
    await write(services, demo, { title: CUSTOMER_NOTICE, type: 2, priority: 2, content, target: 2, targetIds }),
  )
  await write(services, demo, {
    title: DRAFT_NOTICE,
    type: 1,
    priority: 1,
    content: '<p>草稿，待补充。</p>',
    target: 1,
  })
}

const NO_LOG = { method: 'POST', path: '/api/v1/sys/notice/read', title: '阅读通知公告', kind: 'other' } as const

async function write(services: Services, demo: Actor, fields: object) {
  const input = NoticeInput.parse(fields)
  const what = { name: 'create', ...calls.create, input }
  return (await runAsActor(services, demo, what, (ctx) => createNotice(ctx, input))).noticeId
}

const send = (services: Services, demo: Actor, id: number) =>
  runAsActor(services, demo, { name: 'publish', ...calls.publish, input: { id } }, (ctx) => publishDraft(ctx, { id }))
