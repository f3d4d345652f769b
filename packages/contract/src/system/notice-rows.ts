import * as z from 'zod'

export const NoticeAttachment = z.object({ id: z.string(), name: z.string(), size: z.number() })
export const NoticeTarget = z.object({ id: z.int(), name: z.string(), detail: z.string() })

/** A row of the management list. */
export const NoticeRow = z.object({
  noticeId: z.int().meta({ title: '编号' }),
  title: z.string().meta({ title: '标题' }),
  type: z.int().meta({ title: '类型' }),
  priority: z.int().meta({ title: '优先级' }),
  target: z.int().meta({ title: '发送对象' }),
  isTop: z.int().meta({ title: '置顶' }),
  needConfirm: z.int().meta({ title: '需要确认' }),
  status: z.int().meta({ title: '状态' }),
  tenantName: z.string().meta({ title: '所属客户' }),
  startTime: z.string().nullable().meta({ title: '开始时间' }),
  endTime: z.string().nullable().meta({ title: '结束时间' }),
  publishTime: z.string().nullable().meta({ title: '发布时间' }),
  publisherName: z.string().meta({ title: '发布人' }),
  readCount: z.int().meta({ title: '已读人数' }),
  targetCount: z.int().meta({ title: '对象人数' }),
  createTime: z.string().meta({ title: '创建时间' }),
  /** False for a notice to everybody when the data scope of the account does not contain all tenants. */
  isEditable: z.boolean(),
  rev: z.int(),
})

export const NoticeDetail = NoticeRow.extend({
  content: z.string().meta({ title: '内容' }),
  summary: z.string().meta({ title: '摘要' }),
  targetIds: z.array(z.int()),
  targets: z.array(NoticeTarget),
  attachments: z.array(NoticeAttachment),
})

/** A message in the caller's inbox. */
export const InboxRow = z.object({
  noticeId: z.int(),
  title: z.string(),
  type: z.int(),
  topic: z.string(),
  summary: z.string(),
  priority: z.int(),
  isTop: z.int(),
  needConfirm: z.int(),
  attachmentCount: z.int(),
  publishTime: z.string(),
  publisherName: z.string(),
  readTime: z.string().nullable(),
  confirmTime: z.string().nullable(),
})

/** A message with its content. `content` is sanitised HTML; only the notice viewer may render it. */
export const InboxNotice = InboxRow.extend({ content: z.string(), attachments: z.array(NoticeAttachment) })

export const ReadUser = z.object({
  uid: z.int(),
  account: z.string().meta({ title: '账号' }),
  realname: z.string().meta({ title: '姓名' }),
  tenantName: z.string().meta({ title: '所属客户' }),
  readTime: z.string().nullable().meta({ title: '阅读时间' }),
  confirmTime: z.string().nullable().meta({ title: '确认时间' }),
})
