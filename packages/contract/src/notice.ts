import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'
import { choice, dateTime, id, note, optional, rev, search, text } from './kernel/fields.ts'
import { pageOf, pageQuery, sortedPage, timeRange } from './kernel/page.ts'
import { InboxNotice, InboxRow, NoticeDetail, NoticeRow, NoticeTarget, ReadUser } from './notice-rows.ts'

export const NOTICE_TYPE = { 1: '通知', 2: '公告', 3: '系统消息' } as const
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

/** Tags and attributes a notice may hold: the server cleans on save, the console again before it shows. */
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
  /** Text may be aligned; no other style. */
  alignments: ['left', 'center', 'right'],
  /** Pictures come from this server's own files. */
  image: /^\/api\/v1\/file\/[0-9a-f]{32}$/,
  /** Links stay on this server or go to ordinary addresses. */
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
  title: text('标题', 50),
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

/** Managing notices. */
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
    result: pageOf(NoticeRow),
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
  /** It appears at once, or by itself at its start time. Published again, it is unread again for everybody. */
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
  /** It vanishes from every inbox. */
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
  /** Who of those addressed has read it (`read=1`), or not yet (`read=0`). */
  readUsers: {
    method: 'GET',
    path: '/api/v1/sys/notice/readUsers/:id',
    access: 'system:noticeManage:readUsers',
    input: pageQuery.extend({
      id,
      keyword: search('关键字', 30),
      read: optional(choice('阅读状态', { 0: '未读', 1: '已读' })),
    }),
    result: pageOf(ReadUser).extend({ readCount: z.int(), confirmCount: z.int(), targetCount: z.int() }),
  },
  /** Customers (`target=2`), roles (3) or accounts (4) one may address. */
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
  /** How many accounts a notice would reach. */
  audience: {
    method: 'GET',
    path: '/api/v1/sys/notice/audience',
    access: 'system:noticeManage:list',
    input: z.object({ target, targetIds }),
    result: z.object({ count: z.int() }),
  },
} as const satisfies Contract

/** One's own messages. */
export const inbox = {
  mine: {
    method: 'GET',
    path: '/api/v1/sys/notice/mine',
    access: 'session',
    input: pageQuery.extend({
      read: optional(choice('阅读状态', { 0: '未读', 1: '已读' })),
      type: optional(type),
    }),
    result: pageOf(InboxRow),
  },
  /** A withdrawn, expired or foreign notice is answered like one that never was. Opening does not mark as read. */
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
    /** Counted up to 999. */
    result: z.object({ count: z.int() }),
  },
  /** Marks as read; with `confirm=1` also confirms one that asks for it. */
  read: {
    method: 'POST',
    path: '/api/v1/sys/notice/read/:id',
    access: 'session',
    title: '阅读通知公告',
    log: false,
    input: z.object({ id, confirm: choice('确认', YES_NO).default(0) }),
    result: z.object({ count: z.int() }),
  },
  /** Marks everything as read, except what still asks for a confirmation. */
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
