import { NoticeInput, notices as calls } from '@oms/contract/notice.ts'
import { eq } from 'drizzle-orm'
import { tenants } from '#db/schema/tenant.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { read } from '#modules/notice/inbox.service.ts'
import { create, publish } from '#modules/notice/notice-save.service.ts'
import { type Actor, act } from '../operator/act.ts'
import { CUSTOMER_NOTICE, DRAFT_NOTICE, NOTICES, READ_BY_DEMO } from './vendor.ts'

/** Notices to everybody, of which the demo account has read a few, one to the strategic customers, one draft. */
export async function fillNotices(kernel: Kernel, demo: Actor) {
  for (const [place, [title, type, priority, text]] of NOTICES.entries()) {
    const id = await write(kernel, demo, {
      title,
      type,
      priority,
      content: `<p>${text}</p>`,
      target: 1,
      isTop: place === 2 ? 1 : 0,
    })
    await send(kernel, demo, id)
    if (place < READ_BY_DEMO)
      await act(kernel, demo, { name: 'read', ...NO_LOG, input: { id } }, (ctx) => read(ctx, { id, confirm: 0 }))
  }
  const strategic = await kernel.database.db.select({ id: tenants.id }).from(tenants).where(eq(tenants.level, 3))
  const targetIds = strategic.map(({ id }) => id)
  const content = '<p>专属技术支持电话与升级窗口说明见内文。</p>'
  await send(
    kernel,
    demo,
    await write(kernel, demo, { title: CUSTOMER_NOTICE, type: 2, priority: 2, content, target: 2, targetIds }),
  )
  await write(kernel, demo, { title: DRAFT_NOTICE, type: 1, priority: 1, content: '<p>草稿，待补充。</p>', target: 1 })
}

const NO_LOG = { method: 'POST', path: '/api/v1/sys/notice/read', title: '阅读通知公告', kind: 'other' } as const

async function write(kernel: Kernel, demo: Actor, fields: object) {
  const input = NoticeInput.parse(fields)
  const what = { name: 'create', ...calls.create, input }
  return (await act(kernel, demo, what, (ctx) => create(ctx, input))).noticeId
}

const send = (kernel: Kernel, demo: Actor, id: number) =>
  act(kernel, demo, { name: 'publish', ...calls.publish, input: { id } }, (ctx) => publish(ctx, { id }))
