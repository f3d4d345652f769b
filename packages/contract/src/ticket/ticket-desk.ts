import * as z from 'zod'
import { FeedbackFilter } from './ticket-input.ts'
import type { Contract } from '../core/endpoint.ts'
import { choice, day, id, rev, search, text, textLine, whole } from '../core/fields.ts'

const MINUTE = /^([01]\d|2[0-4]):[0-5]\d$/
/** `24:00` is the end of a day. */
const clock = (title: string) =>
  z
    .string(`请选择${title}`)
    .regex(MINUTE, `${title}格式应为 HH:mm`)
    .refine((value) => value <= '24:00', `${title}格式应为 HH:mm`)

const Period = z
  .object({ start: clock('开始时间'), end: clock('结束时间') })
  .refine(({ start, end }) => start < end, { path: ['end'], message: '结束时间必须晚于开始时间' })
const periods = z
  .array(Period, '请设置工作时段')
  .min(1, '请至少设置一个工作时段')
  .max(6, '工作时段最多6个')
  .refine((list) => {
    const sorted = [...list].sort((a, b) => (a.start < b.start ? -1 : 1))
    return sorted.every(({ start }, at) => at === 0 || start >= (sorted[at - 1]?.end ?? ''))
  }, '工作时段不能重叠')
  .meta({ title: '工作时段' })
const dayList = (title: string) =>
  z
    .array(day(title), `${title}不正确`)
    .max(400, `${title}最多 400 天`)
    .transform((list) => [...new Set(list)].sort())
    .default([])
    .meta({ title })

/**
 * Business hours of the service desk: periods per day, weekdays (1 is Monday), and the days that differ from the official
 * holidays.
 */
const Calendar = z.object({
  periods,
  weekdays: z
    .array(z.int().min(1, '工作日不正确').max(7, '工作日不正确'), '请选择工作日')
    .min(1, '请选择工作日')
    .max(7, '工作日不正确')
    .transform((list) => [...new Set(list)].sort())
    .meta({ title: '工作日' }),
  holidays: dayList('节假日'),
  workdays: dayList('调休上班日'),
})
export type CalendarValue = z.output<typeof Calendar>

const minutes = (title: string) => whole(title, 1, 100_000)
const Target = z.object({ respond: minutes('首次响应时限'), solve: minutes('解决时限') })

/** SLA limits per priority in working minutes: first response and resolution. */
export const SlaSettings = z.object({
  enabled: z.boolean('请选择是否计时').meta({ title: '启用时限' }),
  calendar: Calendar,
  targets: z.object({ 1: Target, 2: Target, 3: Target, 4: Target }),
})
export type SlaValue = z.output<typeof SlaSettings>

const HOUR = 60
/** Default business hours: 9 to 18 with a break, Monday to Friday. */
export const STANDARD_SLA: SlaValue = {
  enabled: true,
  calendar: {
    periods: [
      { start: '09:00', end: '12:00' },
      { start: '13:30', end: '18:00' },
    ],
    weekdays: [1, 2, 3, 4, 5],
    holidays: [],
    workdays: [],
  },
  targets: {
    1: { respond: 8 * HOUR, solve: 60 * HOUR },
    2: { respond: 4 * HOUR, solve: 37 * HOUR + 30 },
    3: { respond: 2 * HOUR, solve: 15 * HOUR },
    4: { respond: 30, solve: 7 * HOUR + 30 },
  },
}

export const ReplyTemplateInput = z.object({
  title: textLine('标题', 50),
  content: text('内容', 200),
  sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
})
export const ReplyTemplateRow = z.object({
  id: z.int(),
  title: z.string().meta({ title: '标题' }),
  content: z.string().meta({ title: '内容' }),
  sort: z.int().meta({ title: '排序' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})
const done = z.null()
const YES_NO = { 0: '否', 1: '是' } as const

/** Settings of the service desk: reply templates, SLA limits and assignments. */
export const ticketDesk = {
  templates: {
    method: 'GET',
    path: '/api/v1/feedback/template',
    access: 'session',
    input: z.object({ keyword: search('关键字', 30) }),
    result: z.array(ReplyTemplateRow),
  },
  addTemplate: {
    method: 'POST',
    path: '/api/v1/feedback/template',
    access: 'AfterService:Questions:template',
    title: '新增备注模板',
    kind: 'add',
    input: ReplyTemplateInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  updateTemplate: {
    method: 'PUT',
    path: '/api/v1/feedback/template',
    access: 'AfterService:Questions:template',
    title: '修改备注模板',
    kind: 'edit',
    input: ReplyTemplateInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  removeTemplate: {
    method: 'DELETE',
    path: '/api/v1/feedback/template/:id',
    access: 'AfterService:Questions:template',
    title: '删除备注模板',
    kind: 'remove',
    input: z.object({ id }),
    result: done,
    done: '删除成功',
  },
  sla: {
    method: 'GET',
    path: '/api/v1/feedback/sla',
    access: 'session',
    input: z.object({}),
    /** `missingYear`: the year whose official holidays are unknown and not entered; 0 when none is missing. */
    result: SlaSettings.extend({ rev: z.int(), missingYear: z.int() }),
  },
  saveSla: {
    method: 'PUT',
    path: '/api/v1/feedback/sla',
    access: 'AfterService:Questions:sla',
    allTenants: true,
    title: '修改服务时限',
    kind: 'edit',
    body: 'json',
    input: SlaSettings.extend({ rev }),
    result: done,
    done: '保存成功',
  },
  /**
   * Sent every 15 seconds while a ticket is open; returns other accounts that have the ticket open. `leave` ends the
   * presence.
   */
  viewers: {
    method: 'POST',
    path: '/api/v1/feedback/viewers/:id',
    access: 'session',
    title: '查看工单',
    log: false,
    input: z.object({
      id,
      typing: choice('输入状态', YES_NO).default(0),
      leave: choice('离开', YES_NO).default(0),
    }),
    result: z.array(z.object({ uid: z.int(), realname: z.string(), typing: z.int() })),
  },
  /** Tags of the newest tickets, within the caller's scope. */
  tags: {
    method: 'GET',
    path: '/api/v1/feedback/tag/list',
    access: 'session',
    input: z.object({}),
    result: z.array(z.string()),
  },
  /** Names of the handlers and the firmware in a filter; empty when no visible ticket has them. */
  filterNames: {
    method: 'GET',
    path: '/api/v1/feedback/filter/names',
    access: 'session',
    input: FeedbackFilter.pick({ handlerId: true, lastHandlerId: true, modelId: true, verCode: true }),
    result: z.object({ handler: z.string(), lastHandler: z.string(), version: z.string() }),
  },
} as const satisfies Contract
