import * as z from 'zod'
import {
  TICKET_HANDLING_STATUS,
  FEEDBACK_CLOSED,
  FEEDBACK_MESSAGES,
  FEEDBACK_PRIORITY,
  FEEDBACK_SOURCE,
  FEEDBACK_STATUS,
  MAX_TAGS,
  PROBLEM_TYPE,
  ProblemAttr,
  SATISFACTION,
  SLA_STATE,
  TICKET_FILE,
  TICKET_IMAGE,
} from './ticket-rows.ts'
import { choice, dateTime, id, note, noteLine, optional, search, text, whole } from '../core/fields.ts'
import { normalizeLine } from '../core/normalize-line.ts'
import { sortedPage, timeRange } from '../core/page.ts'
import { formatCountError, type UploadRule } from '../core/upload.ts'

const YES_NO = { 0: '否', 1: '是' } as const

/** No handler: absent, empty, or 0 as sent by older clients. */
const nobody = (value: unknown) => (value === '' || value === null || value === 0 || value === '0' ? undefined : value)

/** Parses JSON text; text that is not JSON is returned unchanged. */
function parsedJson(value: unknown): unknown {
  if (value === '' || value === null) return undefined
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

/** An object, or its JSON text as in the specification. */
const problemAttr = z
  .preprocess(parsedJson, z.object(ProblemAttr.shape, '问题分类格式不正确').optional())
  .meta({ title: '问题分类' })

const tag = z
  .string('标签不正确')
  .overwrite(normalizeLine)
  .min(1, '标签不能为空')
  .max(20, '标签不能超过20个字符')
  .refine((value) => !value.includes(',') && !value.includes('，'), '标签不能包含逗号')
  .refine((value) => !/\p{Cc}|\p{Cs}/u.test(value), '标签含有不支持的字符')

/** A list, or one text separated by commas. */
const listed = (value: unknown): unknown =>
  value === undefined || value === null || value === '' ? [] : typeof value === 'string' ? value.split(/[,，]/) : value
export const tagList = z
  .preprocess(
    listed,
    z
      .array(tag, '标签不正确')
      .max(MAX_TAGS, `标签最多${MAX_TAGS}个`)
      .transform((list) => [...new Set(list)]),
  )
  .meta({ title: '标签' })

/** Ids of uploaded files; a file URL is converted to its id. */
const bare = (each: unknown) => (typeof each === 'string' ? each.trim().replace(/^\/api\/v1\/file\//, '') : each)
const fileIds = (value: unknown) => {
  const list = listed(value)
  return Array.isArray(list) ? list.map(bare) : list
}

/** File ids as a list, or as one text of comma-separated URLs, as upload fields of the console send them. */
const filesOf = (title: string, rule: UploadRule) =>
  z
    .preprocess(
      fileIds,
      z
        .array(z.string(`${title}不正确`).regex(/^[0-9a-f]{32}$/, `${title}不正确`), `${title}不正确`)
        .max(rule.maxCount, formatCountError(rule))
        .transform((list) => [...new Set(list)]),
    )
    .meta({ title })

const status = choice('处理状态', TICKET_HANDLING_STATUS, FEEDBACK_MESSAGES.status)
const version = optional(whole('版本', 0, 2_147_483_647)).meta({ title: '版本' })
const handlerId = z.preprocess(nobody, id.optional()).meta({ title: '处理人员' })
export const remark = note('处理备注', 200)

/** The processing form. `handler` is only a display name; `handlerId` decides the handler. */
export const DisposeFields = z.object({
  feedbackId: id,
  status,
  handlerId,
  problemAttr,
  remark,
  handler: z.unknown().optional(),
  /** Revision of the ticket when the form was opened. Without it, one of several simultaneous saves succeeds. */
  version,
  /** Reminder time, for status 4. */
  suspendUntil: optional(dateTime('提醒时间')).meta({ title: '提醒时间' }),
})
export const DisposeInput = DisposeFields.refine(
  ({ status, handlerId }) => status === FEEDBACK_CLOSED || handlerId !== undefined,
  { path: ['handlerId'], message: FEEDBACK_MESSAGES.handler },
)

/** A new ticket. A serial number sets tenant, model and version from the device. */
export const FeedbackInput = z.object({
  sn: optional(z.string('设备序列号不正确').overwrite(normalizeLine).max(64, '设备序列号不能超过64个字符')).meta({
    title: '设备序列号',
    max: 64,
  }),
  /** Tenant of a ticket without a serial number; defaults to the caller's tenant. */
  tenantId: optional(id).meta({ title: '所属客户' }),
  account: noteLine('反馈账号', 50),
  contact: note('联系方式', 50),
  problemType: choice('问题类型', PROBLEM_TYPE),
  content: text('问题描述', 2000),
  priority: choice('优先级', FEEDBACK_PRIORITY).default(2).meta({ title: '优先级', labels: FEEDBACK_PRIORITY }),
  source: choice('来源', FEEDBACK_SOURCE).default(2).meta({ title: '来源', labels: FEEDBACK_SOURCE }),
  tags: tagList,
  attachments: filesOf('附件', TICKET_FILE),
  images: filesOf('图片', TICKET_IMAGE),
  problemAttr,
  handlerId,
})

const days = (title: string) => optional(whole(title, 0, 100_000)).meta({ title })
const edge = timeRange.beginTime

/** Ticket filters, shared by the list, its export and the links of charts. */
export const feedbackFilters = {
  keyword: search('关键字', 64),
  feedbackNo: search('工单编号', 20),
  account: search('反馈账号', 50),
  sn: search('设备序列号', 64),
  content: search('问题描述', 64),
  tenantId: optional(id).meta({ title: '所属客户' }),
  typeId: optional(id).meta({ title: '设备类型' }),
  modelId: optional(id).meta({ title: '设备型号' }),
  /** 0 matches tickets without a firmware version. */
  verCode: optional(whole('版本号', 0, 999_999_999)).meta({ title: '版本号' }),
  problemType: optional(choice('问题类型', PROBLEM_TYPE)),
  status: optional(choice('处理状态', FEEDBACK_STATUS)),
  open: optional(choice('是否关闭', { 0: '已关闭', 1: '未关闭' })),
  handlerId: optional(id).meta({ title: '处理人员' }),
  /** Last handler, also of closed tickets. */
  lastHandlerId: optional(id).meta({ title: '经办人员' }),
  unassigned: optional(choice('分派情况', { 1: '未分派', 0: '已分派' })),
  priority: optional(choice('优先级', FEEDBACK_PRIORITY)),
  source: optional(choice('来源', FEEDBACK_SOURCE)),
  tag: search('标签', 20),
  slaState: optional(choice('时限', SLA_STATE)),
  breached: optional(choice('曾超时', YES_NO)),
  hardware: search('硬件问题', 4),
  software: search('软件问题', 4),
  structure: search('结构问题', 4),
  weekday: optional(whole('星期', 1, 7)).meta({ title: '星期' }),
  hour: optional(whole('小时', 0, 23)).meta({ title: '小时' }),
  /** Full days since an open ticket was created. */
  minAge: days('最短天数'),
  maxAge: days('最长天数'),
  reopened: optional(choice('曾重新打开', YES_NO)),
  responded: optional(choice('已响应', YES_NO)),
  merged: optional(choice('已合并', YES_NO)),
  satisfaction: optional(choice('满意度', SATISFACTION)),
  rated: optional(choice('已评价', YES_NO)),
  closeBegin: edge.meta({ title: '关闭开始' }),
  closeEnd: edge.meta({ title: '关闭结束' }),
  ...timeRange,
}
export const FeedbackFilter = z.object(feedbackFilters)
export type FeedbackFilterValues = z.output<typeof FeedbackFilter>

export const FeedbackQuery = sortedPage(['createTime', 'updateTime', 'priority', 'status']).extend(feedbackFilters)
