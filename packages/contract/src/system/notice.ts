import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, dateTime, id, note, optional, rev, search, text, textLine } from '../core/fields.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { InboxNotice, InboxRow, NoticeDetail, NoticeRow, NoticeTarget, ReadUser } from './notice-rows.ts'

export const NOTICE_TYPE = { 1: '通知', 2: '公告', 3: '系统消息' } as const
/** Subjects of system messages. An account can mute each of them. */
export const NOTICE_TOPIC = {
  ticket: '工单',
  tenant: '客户与申请',
  upgrade: '固件与软件',
  license: '授权许可',
  storage: '云存储',
  ad: '广告',
  agent: '智能体',
  webhook: '消息推送',
} as const
export type NoticeTopic = keyof typeof NOTICE_TOPIC
const TOPICS = Object.keys(NOTICE_TOPIC) as [NoticeTopic, ...NoticeTopic[]]
/** Preference of an account with the topics that it does not want, as a JSON list. */
export const MUTED_TOPICS_KEY = 'notice.muted'
export const NOTICE_PRIORITY = { 1: '低', 2: '中', 3: '高' } as const
export const NOTICE_TARGET = { 1: '全部账号', 2: '指定客户', 3: '指定角色', 4: '指定账号' } as const
export const NOTICE_STATUS = { 0: '草稿', 1: '已发布', 2: '已撤回' } as const
export const NOTICE_DRAFT = 0
export const NOTICE_PUBLISHED = 1
export const NOTICE_REVOKED = 2
const YES_NO = { 0: '否', 1: '是' } as const

export const NOTICE_CONTENT_MAX = 65_536
export const NOTICE_ATTACHMENTS = 5
export const NOTICE_TARGETS_MAX = 1000

/**
 * Allowed tags and attributes of a notice. The server sanitises on save; the console sanitises again before display.
 */
export const NOTICE_HTML = {
  tags: 'p br hr h1 h2 h3 h4 strong b em i u s code pre blockquote ul ol li a img span table thead tbody tr th td'.split(
    ' ',
  ),
  attributes: {
    a: ['href', 'title', 'target', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    ol: ['start'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan'],
  },
  /** Allowed CSS: only text alignment. */
  alignments: ['left', 'center', 'right'],
  /** Matches one of `alignments`. */
  alignment: /^(?:left|center|right)$/,
  /** Pictures must be files of this server. */
  image: /^\/api\/v1\/file\/[0-9a-f]{32}$/,
  /** Links must point to this server or to http(s) and mail addresses. */
  link: /^(https?:\/\/|mailto:|tel:|\/(?![/\\])|#)/i,
} as const

const listOf = <T extends z.ZodType>(item: T, max: number, tooMany: string) =>
  z.preprocess(
    (value) => (value === undefined || value === null || value === '' ? [] : Array.isArray(value) ? value : [value]),
    z.array(item).max(max, tooMany),
  )

const type = choice('类型', NOTICE_TYPE)
const target = choice('发送对象', NOTICE_TARGET)
const targetIds = listOf(id, NOTICE_TARGETS_MAX, `最多选择${NOTICE_TARGETS_MAX}个对象`).meta({ title: '对象名单' })
const fileId = z.string('附件不正确').regex(/^[0-9a-f]{32}$/, '附件不正确')

const fields = z.object({
  title: textLine('标题', 50),
  type,
  content: text('内容', NOTICE_CONTENT_MAX),
  summary: note('摘要', 200),
  priority: choice('优先级', NOTICE_PRIORITY),
  target,
  targetIds,
  startTime: optional(dateTime('开始时间')),
  endTime: optional(dateTime('结束时间')),
  isTop: choice('置顶', YES_NO).default(0).meta({ title: '置顶', labels: YES_NO }),
  needConfirm: choice('需要确认', YES_NO).default(0).meta({ title: '需要确认', labels: YES_NO }),
  /** File ids of uploads with the purpose `notice`. */
  attachments: listOf(fileId, NOTICE_ATTACHMENTS, `附件最多${NOTICE_ATTACHMENTS}个`).meta({ title: '附件' }),
})

const checked = <T extends typeof fields>(schema: T) =>
  schema
    .refine(({ target, targetIds }) => target === 1 || targetIds.length > 0, {
      path: ['targetIds'],
      message: '请选择发送对象',
    })
    .refine(({ startTime, endTime }) => !startTime || !endTime || startTime < endTime, {
      path: ['endTime'],
      message: '结束时间必须晚于开始时间',
    })

export const NoticeInput = checked(fields)
export const NoticeUpdate = checked(fields.extend({ noticeId: id, rev }))

const done = z.null()
const byId = z.object({ id })
const LOGGED = [
  'noticeId',
  'title',
  'type',
  'priority',
  'target',
  'targetIds',
  'startTime',
  'endTime',
  'isTop',
] as const

/** Management of notices. */
export const notices = {
  list: {
    method: 'GET',
    path: '/api/v1/sys/notice/page',
    access: 'system:noticeManage:list',
    input: sortedPage(['noticeId', 'publishTime']).extend({
      title: search('标题', 50),
      type: optional(type),
      status: optional(choice('状态', NOTICE_STATUS)),
      target: optional(target),
      priority: optional(choice('优先级', NOTICE_PRIORITY)),
      ...timeRange,
    }),
    result: createPageSchema(NoticeRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/sys/notice/:id',
    access: 'system:noticeManage:query',
    input: byId,
    result: NoticeDetail,
  },
  create: {
    method: 'POST',
    path: '/api/v1/sys/notice',
    access: 'system:noticeManage:add',
    title: '新增通知公告',
    log: LOGGED,
    input: NoticeInput,
    result: z.object({ noticeId: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/sys/notice',
    access: 'system:noticeManage:edit',
    title: '修改通知公告',
    log: LOGGED,
    input: NoticeUpdate,
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/sys/notice/:id',
    access: 'system:noticeManage:remove',
    title: '删除通知公告',
    input: byId,
    result: done,
    done: '删除成功',
  },
  /**
   * Publishes a notice now, or schedules it for its start time. Publishing again marks the notice unread for all
   * accounts.
   */
  publish: {
    method: 'POST',
    path: '/api/v1/sys/notice/publish/:id',
    access: 'system:noticeManage:publish',
    title: '发布通知公告',
    kind: 'edit',
    input: byId,
    result: done,
    done: '发布成功',
  },
  /** Withdraws a notice from all inboxes. */
  revoke: {
    method: 'POST',
    path: '/api/v1/sys/notice/revoke/:id',
    access: 'system:noticeManage:revoke',
    title: '撤回通知公告',
    kind: 'edit',
    input: byId,
    result: done,
    done: '已撤回',
  },
  /** Lists addressed accounts that have read the notice (`read=1`) or have not (`read=0`). */
  readUsers: {
    method: 'GET',
    path: '/api/v1/sys/notice/readUsers/:id',
    access: 'system:noticeManage:readUsers',
    input: pageQuery.extend({
      id,
      keyword: search('关键字', 30),
      read: optional(choice('阅读状态', { 0: '未读', 1: '已读' })),
    }),
    result: createPageSchema(ReadUser).extend({ readCount: z.int(), confirmCount: z.int(), targetCount: z.int() }),
  },
  /** Tenants (`target=2`), roles (3) or accounts (4) that the caller may address. */
  targets: {
    method: 'GET',
    path: '/api/v1/sys/notice/targets',
    access: 'system:noticeManage:list',
    input: pageQuery.extend({
      target: choice('发送对象', { 2: '客户', 3: '角色', 4: '账号' }),
      keyword: search('关键字', 30),
    }),
    result: z.object({ list: z.array(NoticeTarget) }),
  },
  /** Counts the accounts that a notice would reach. */
  audience: {
    method: 'GET',
    path: '/api/v1/sys/notice/audience',
    access: 'system:noticeManage:list',
    input: z.object({ target, targetIds }),
    result: z.object({ count: z.int() }),
  },
} as const satisfies Contract

/** The caller's messages. */
export const inbox = {
  mine: {
    method: 'GET',
    path: '/api/v1/sys/notice/mine',
    access: 'session',
    input: pageQuery.extend({
      read: optional(choice('阅读状态', { 0: '未读', 1: '已读' })),
      type: optional(type),
      topic: optional(z.enum(TOPICS, '主题不正确')),
    }),
    result: createPageSchema(InboxRow),
  },
  /**
   * Returns a message without marking it as read. Withdrawn, expired and foreign notices return the same error as
   * missing ones.
   */
  view: {
    method: 'GET',
    path: '/api/v1/sys/notice/view/:id',
    access: 'session',
    input: byId,
    result: InboxNotice,
  },
  unreadCount: {
    method: 'GET',
    path: '/api/v1/sys/notice/unread/count',
    access: 'session',
    input: z.object({}),
    /** The count stops at 999. */
    result: z.object({ count: z.int() }),
  },
  /** Marks messages as read. `confirm=1` also confirms a message that requires confirmation. */
  read: {
    method: 'POST',
    path: '/api/v1/sys/notice/read/:id',
    access: 'session',
    title: '阅读通知公告',
    log: false,
    input: z.object({ id, confirm: choice('确认', YES_NO).default(0) }),
    result: z.object({ count: z.int() }),
  },
  /** Marks all messages as read, except those that require a confirmation. */
  readAll: {
    method: 'POST',
    path: '/api/v1/sys/notice/readAll',
    access: 'session',
    title: '全部已读',
    log: false,
    input: z.object({}),
    result: z.object({ count: z.int() }),
    done: '已全部标为已读',
  },
} as const satisfies Contract
