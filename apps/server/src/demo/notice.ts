import { NoticeInput, notices as calls } from '@oms/contract/system/notice.ts'
import { eq } from 'drizzle-orm'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { markNoticeRead } from '#modules/system/inbox.ts'
import { createNotice, publishDraft } from '#modules/system/notice.ts'
import { tenants } from '#core/schema/tenant.ts'
import { type Demo, runCall } from './call.ts'
import { CUSTOMER_NOTICE, DEMO_NOTICES, DRAFT_NOTICE, PLATFORM_ONLY_NOTICES, READ_BY_DEMO } from './vendor.ts'

/**
 * Creates demo notices: to all accounts or to the staff of the platform (some already read by the demo account), to
 * strategic tenants, and a draft.
 */
export async function seedDemoNotices(demo: Demo) {
  for (const [place, [title, type, priority, text]] of DEMO_NOTICES.entries()) {
    const id = await write(demo, {
      title,
      type,
      priority,
      content: `<p>${text}</p>`,
      ...(PLATFORM_ONLY_NOTICES.has(title) ? { target: 2, targetIds: [PLATFORM_TENANT_ID] } : { target: 1 }),
      isTop: place === 2 ? 1 : 0,
    })
    await send(demo, id)
    if (place < READ_BY_DEMO) await runCall(demo, { name: 'read', ...READ }, { id, confirm: 0 }, markNoticeRead)
  }
  const strategic = await demo.db.select({ id: tenants.id }).from(tenants).where(eq(tenants.level, 3))
  const targetIds = strategic.map(({ id }) => id)
  const content = '<p>专属技术支持电话与升级窗口说明见内文。</p>'
  await send(demo, await write(demo, { title: CUSTOMER_NOTICE, type: 2, priority: 2, content, target: 2, targetIds }))
  await write(demo, {
    title: DRAFT_NOTICE,
    type: 1,
    priority: 1,
    content: '<p>草稿，待补充。</p>',
    target: 1,
  })
}

const READ = { method: 'POST', path: '/api/v1/sys/notice/read', title: '阅读通知公告', kind: 'other' } as const

async function write(demo: Demo, fields: object) {
  const input = NoticeInput.parse(fields)
  return (await runCall(demo, { name: 'create', ...calls.create }, input, createNotice)).noticeId
}

const send = (demo: Demo, id: number) => runCall(demo, { name: 'publish', ...calls.publish }, { id }, publishDraft)
