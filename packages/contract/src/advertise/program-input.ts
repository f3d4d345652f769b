import * as z from 'zod'
import { parseDay } from './engine/dates.ts'
import { INSERT_MODE, PLAY_MODE } from './engine/manifest.ts'
import { choice, dateTime, day, id, note, optional, reference, textLine, whole } from '../core/fields.ts'
import {
  ALL_WEEKDAYS,
  INSERT_MODE_NAME,
  MAX_DAY_PARTS,
  MAX_PROGRAM_DAYS,
  MAX_PROGRAM_ITEMS,
  MAX_TARGETS,
  PLAY_MODE_NAME,
  TARGET_TYPE,
  PROGRAM_TARGET_NAME,
  TRANSITION_NAME,
  YES_NO,
} from './program-words.ts'

const DAY_MINUTES = 1440
const MAX_SECONDS = 3600

const clock = (title: string, pattern: RegExp) => z.string(`请选择${title}`).regex(pattern, `${title}格式应为 HH:mm`)
export const DayPartInput = z.object({
  start: clock('时段开始', /^([01]\d|2[0-3]):[0-5]\d$/),
  end: clock('时段结束', /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/),
})

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

/** Returns the minutes of a day that a daypart covers. A daypart that crosses midnight has two spans. */
export function toDayPartSpans({ start, end }: { start: string; end: string }): [number, number][] {
  const from = minutesOf(start)
  const to = minutesOf(end)
  if (to > from) return [[from, to]]
  return to === 0
    ? [[from, DAY_MINUTES]]
    : [
        [from, DAY_MINUTES],
        [0, to],
      ]
}

/** Returns the error text of dayparts, or undefined. Dayparts must not be empty and must not overlap. */
export function findDayPartsProblem(parts: readonly { start: string; end: string }[]): string | undefined {
  if (parts.some(({ start, end }) => start === end)) return '时段开始和结束不能相同'
  const spans = parts.flatMap(toDayPartSpans).sort((a, b) => a[0] - b[0])
  return spans.some(([from], at) => at > 0 && from < (spans[at - 1]?.[1] ?? 0)) ? '时段不能重叠' : undefined
}

/** Returns the error text of the dates of a program, or undefined. */
export function findDatesProblem({ dateFrom, dateTo }: { dateFrom: string; dateTo: string }): string | undefined {
  if (dateTo < dateFrom) return '结束日期不能早于开始日期'
  return parseDay(dateTo) - parseDay(dateFrom) >= MAX_PROGRAM_DAYS ? '投放日期最长10年' : undefined
}

/** Refusal of an item that ends before it starts. */
export const ITEM_END_TOO_EARLY = '结束时间应晚于开始时间'

export const ProgramItemInput = z.object({
  /** 0 or absent: a new item. */
  itemId: whole('条目编号', 0, 2_147_483_647).default(0).meta({ title: '条目编号' }),
  adId: reference('广告'),
  /** Seconds; for video and audio the duration of the file is used instead. */
  duration: optional(whole('时长', 1, MAX_SECONDS)).meta({ title: '时长' }),
  weight: whole('权重', 1, 100).default(1).meta({ title: '权重' }),
  maxPlaysPerHour: whole('每小时上限', 0, 3600).default(0).meta({ title: '每小时上限' }),
  startDt: optional(dateTime('开始时间')),
  endDt: optional(dateTime('结束时间')),
  transition: choice('切换效果', TRANSITION_NAME).default(0).meta({ title: '切换效果', labels: TRANSITION_NAME }),
})

/** Width and height in pixels. */
export const RESOLUTION_PATTERN = /^([1-9]\d{1,4})×([1-9]\d{1,4})$/
const programFields = {
  programName: textLine('节目单名称', 32, '请输入节目单名称', '最多32个字符'),
  description: note('描述', 200),
  items: z
    .array(ProgramItemInput, '请至少添加一条广告')
    .min(1, '请至少添加一条广告')
    .max(MAX_PROGRAM_ITEMS, `节目单最多${MAX_PROGRAM_ITEMS}条广告`)
    .meta({ title: '广告' }),
  playMode: choice('播放方式', PLAY_MODE_NAME)
    .default(PLAY_MODE.sequence)
    .meta({ title: '播放方式', labels: PLAY_MODE_NAME }),
  priority: whole('优先级', 0, 9).default(0).meta({ title: '优先级' }),
  insertMode: choice('插播', INSERT_MODE_NAME)
    .default(INSERT_MODE.normal)
    .meta({ title: '插播', labels: INSERT_MODE_NAME }),
  shareOfVoice: optional(whole('份额', 1, 100)).meta({ title: '份额' }),
  dateFrom: day('开始日期'),
  dateTo: day('结束日期'),
  weekdays: whole('星期', 0, ALL_WEEKDAYS)
    .refine((mask) => mask > 0, '请选择星期')
    .default(ALL_WEEKDAYS)
    .meta({ title: '星期' }),
  dayParts: z
    .array(DayPartInput, '时段不正确')
    .max(MAX_DAY_PARTS, `时段最多${MAX_DAY_PARTS}个`)
    .default([])
    .meta({ title: '时段' }),
  targetType: choice('投放对象', PROGRAM_TARGET_NAME)
    .default(TARGET_TYPE.devices)
    .meta({ title: '投放对象', labels: PROGRAM_TARGET_NAME }),
  targetIds: z
    .array(id, '投放对象不正确')
    .max(MAX_TARGETS, `投放对象最多${MAX_TARGETS}个`)
    .default([])
    .meta({ title: '投放对象' }),
  /** Size in pixels that the content is made for, `1920×1080`; empty: any. Screens of another size are warned about. */
  resolution: note('分辨率', 16)
    .refine((text) => text === '' || RESOLUTION_PATTERN.test(text), '分辨率的格式为 宽×高，如 1920×1080')
    .meta({ title: '分辨率', max: 16 }),
  isDefault: choice('默认节目单', YES_NO).default(0).meta({ title: '默认节目单', labels: YES_NO }),
}

/** Fields that a user edits. */
export const ProgramInput = z.object(programFields)
export type ProgramValues = z.output<typeof ProgramInput>

/** `tenantId` defaults to the tenant of the session. */
export const NewProgramInput = ProgramInput.extend({ tenantId: optional(id).meta({ title: '所属客户' }) })

/** Content of the editor before it is saved. Without `id` the program is new. */
export const ProgramDraftInput = ProgramInput.extend({ id: optional(id), tenantId: optional(id) })

/** Adds the rules that concern several fields. */
export const addProgramChecks = <S extends z.ZodType<ProgramValues>>(schema: S) =>
  schema.superRefine((program, issues) => {
    const { dayParts, items } = program as ProgramValues
    const say = (path: (string | number)[], message: string) => issues.addIssue({ code: 'custom', path, message })
    const datesProblem = findDatesProblem(program as ProgramValues)
    if (datesProblem) say(['dateTo'], datesProblem)
    const problem = findDayPartsProblem(dayParts)
    if (problem) say(['dayParts'], problem)
    items.forEach(({ startDt, endDt }, at) => {
      if (startDt && endDt && endDt <= startDt) say(['items', at, 'endDt'], ITEM_END_TOO_EARLY)
    })
  })
