import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, day, id, optional, rev, search } from '../core/fields.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { addProgramChecks, DayPartInput, NewProgramInput, ProgramInput } from './program-input.ts'
import {
  INSERT_MODE_NAME,
  PLAY_MODE_NAME,
  PROGRAM_STATUS_NAME,
  PROGRAM_VERSION_STATE_NAME,
  PROGRAM_TARGET_NAME,
  PROGRAM_TODO,
  TRANSITION_NAME,
  YES_NO,
} from './program-words.ts'

const date = (title: string) =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .meta({ title, format: 'date' })

const schedule = {
  programName: z.string().meta({ title: '节目单名称' }),
  playMode: z.int().meta({ title: '播放方式', labels: PLAY_MODE_NAME }),
  priority: z.int().meta({ title: '优先级' }),
  insertMode: z.int().meta({ title: '插播', labels: INSERT_MODE_NAME }),
  shareOfVoice: z.int().nullable().meta({ title: '份额' }),
  dateFrom: date('开始日期'),
  dateTo: date('结束日期'),
  weekdays: z.int().meta({ title: '星期' }),
  dayParts: z.array(DayPartInput).meta({ title: '时段' }),
  targetType: z.int().meta({ title: '投放对象', labels: PROGRAM_TARGET_NAME }),
  itemCount: z.int().meta({ title: '广告数' }),
  /** Seconds. */
  totalDuration: z.int().meta({ title: '总时长' }),
}

export const ProgramRow = z.object({
  id: z.int().meta({ title: '节目单编号' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '所属客户' }),
  ...schedule,
  description: z.string().meta({ title: '描述' }),
  targetCount: z.int(),
  isDefault: z.int().meta({ title: '默认节目单', labels: YES_NO }),
  verNo: z.int().meta({ title: '版本' }),
  /** Version in force; 0: none. */
  publishedVer: z.int().meta({ title: '生效版本' }),
  /** Version that waits for approval; 0: none. */
  waitingVer: z.int().meta({ title: '待审批版本' }),
  /** Remark of the rejection of the newest version; null unless that version is rejected. */
  rejectedRemark: z.string().nullable(),
  /** True when the caller submitted the version that waits for approval. */
  isOwnWaiting: z.boolean(),
  /** True when the program also concerns tenants outside the caller's data scope: the caller may only read it. */
  isBeyondScope: z.boolean(),
  /** True when the edited content differs from the newest version. */
  hasChanges: z.boolean(),
  status: z.int().meta({ title: '状态', labels: PROGRAM_STATUS_NAME }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})
export type ProgramListRow = z.output<typeof ProgramRow>

/** An item with the facts about its ad that the editor shows. */
export const ProgramItem = z.object({
  itemId: z.int(),
  adId: z.int(),
  adName: z.string(),
  adType: z.int(),
  orientation: z.int(),
  thumbUrl: z.string(),
  /** Codec of the first file of the ad; empty for no file or no codec. */
  codec: z.string(),
  /** Seconds. */
  duration: z.int(),
  weight: z.int(),
  maxPlaysPerHour: z.int(),
  startDt: z.string().nullable(),
  endDt: z.string().nullable(),
  transition: z.int().meta({ labels: TRANSITION_NAME }),
  /** Version of the ad that plays; 0: not approved. */
  approvedVer: z.int(),
  enableStat: z.int(),
  validTo: z.string().nullable(),
})
export type ProgramItemView = z.output<typeof ProgramItem>
const named = z.array(z.object({ id: z.int(), name: z.string() }))

export const ProgramDetail = ProgramRow.extend({
  items: z.array(ProgramItem),
  targets: named,
  targetIds: z.array(z.int()),
  resolution: z.string().meta({ title: '分辨率' }),
})
export type ProgramDetailRow = z.output<typeof ProgramDetail>

export const ProgramVersionRow = z.object({
  ...schedule,
  verNo: z.int().meta({ title: '版本' }),
  state: z.int().meta({ title: '版本状态', labels: PROGRAM_VERSION_STATE_NAME }),
  adNames: z.array(z.string()).meta({ title: '广告' }),
  targets: named,
  targetCount: z.int(),
  resolution: z.string().meta({ title: '分辨率' }),
  /** Number of screens at publishing; null when some are outside the caller's data scope. */
  screens: z.int().nullable().meta({ title: '屏幕数' }),
  publishByName: z.string().meta({ title: '发布人' }),
  publishTime: z.string().meta({ title: '发布时间' }),
  auditByName: z.string().meta({ title: '审批人' }),
  auditTime: z.string().nullable().meta({ title: '审批时间' }),
  auditRemark: z.string().meta({ title: '审批意见' }),
})
export type ProgramVersionView = z.output<typeof ProgramVersionRow>

const byId = z.object({ id })

/** Programs (`/advertiseManage/ProgramList`): lists of ads with targets and times. */
export const programs = {
  list: {
    method: 'GET',
    path: '/api/v1/advertise/program/page',
    access: 'advertiseManage:ProgramList:list',
    input: sortedPage(['programName', 'priority', 'dateFrom', 'dateTo', 'createTime', 'updateTime']).extend({
      programName: search('节目单名称', 32),
      status: optional(choice('状态', PROGRAM_STATUS_NAME)),
      insertMode: optional(choice('插播', INSERT_MODE_NAME)),
      targetType: optional(choice('投放对象', PROGRAM_TARGET_NAME)),
      /** Programs whose dates include the day. */
      playDate: optional(day('投放日期')),
      adId: optional(id).meta({ title: '广告' }),
      todo: optional(choice('待办', PROGRAM_TODO)),
      tenantId: optional(id).meta({ title: '所属客户' }),
      ...timeRange,
    }),
    result: createPageSchema(ProgramRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/advertise/program/:id',
    access: 'advertiseManage:ProgramList:query',
    input: byId,
    result: ProgramDetail,
  },
  versions: {
    method: 'GET',
    path: '/api/v1/advertise/program/:id/versions',
    access: 'advertiseManage:ProgramList:query',
    input: pageQuery.extend({ id }),
    result: createPageSchema(ProgramVersionRow),
  },
  create: {
    method: 'POST',
    path: '/api/v1/advertise/program',
    access: 'advertiseManage:ProgramList:add',
    title: '新增节目单',
    body: 'json',
    input: addProgramChecks(NewProgramInput),
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/advertise/program',
    access: 'advertiseManage:ProgramList:edit',
    title: '修改节目单',
    body: 'json',
    input: addProgramChecks(ProgramInput.extend({ id, rev })),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/advertise/program/:id',
    access: 'advertiseManage:ProgramList:remove',
    title: '删除节目单',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  copy: {
    method: 'POST',
    path: '/api/v1/advertise/program/copy/:id',
    access: 'advertiseManage:ProgramList:copy',
    title: '复制节目单',
    kind: 'add',
    input: byId,
    result: z.object({ id: z.int() }),
    done: '复制成功',
  },
} as const satisfies Contract
