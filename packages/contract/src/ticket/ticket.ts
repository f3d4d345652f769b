import * as z from 'zod'
import { deviceFilters } from '../device/device-fields.ts'
import { DisposeInput, FeedbackInput, FeedbackQuery, remark, tagList } from './ticket-input.ts'
import {
  DeviceContext,
  FEEDBACK_PRIORITY,
  FeedbackBatch,
  TicketDetail,
  FeedbackRecord,
  FeedbackRow,
  SATISFACTION,
  AfterSalesDevice,
} from './ticket-rows.ts'
import type { Contract } from '../core/endpoint.ts'
import { choice, dateTime, id, ids, note, optional, reference, text } from '../core/fields.ts'
import { normalizeLine } from '../core/normalize-line.ts'
import { createPageSchema, sortedPage } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'

const byId = z.object({ id })
const many = ids(200)
const paging = { pageNum: true, pageSize: true } as const
export const AfterSalesDeviceQuery = sortedPage(['activateTime', 'warrantyEnd']).extend({
  ...deviceFilters,
  sns: deviceFilters.sns.optional(),
  /** Filter: 1 for devices with tickets, 2 for devices with open tickets. */
  tickets: optional(choice('工单', { 1: '有工单', 2: '有未关闭工单' })),
})

const UNSEEN = '原处理人员不正确，请刷新后重试'

/**
 * Input of the batch action that assigns tickets. The inputs of the other batch actions follow. `seen` contains the
 * handlers that the caller saw, in the order of `ids`, 0 for none: a ticket that has another handler is not assigned.
 */
export const AssignInput = z.object({
  ids: many,
  handlerId: reference('处理人员'),
  remark,
  seen: optional(z.array(z.int(UNSEEN).min(0, UNSEEN), UNSEEN).max(200, UNSEEN)).meta({ title: '原处理人员' }),
})
export const SuspendInput = z.object({
  ids: many,
  suspendUntil: optional(dateTime('提醒时间')).meta({ title: '提醒时间' }),
  remark,
})
export const CloseInput = z.object({ ids: many, remark })
export const PriorityInput = z.object({ ids: many, priority: choice('优先级', FEEDBACK_PRIORITY) })
export const TagsInput = z.object({ ids: many, tags: tagList, mode: z.enum(['set', 'add', 'remove']).default('set') })
export const MergeInput = z
  .object({ ids: many, intoId: reference('主工单').meta({ title: '合并到' }) })
  .refine(({ ids, intoId }) => ids.some((each) => each !== intoId), { path: ['ids'], message: '请选择要合并的工单' })
export const CommentInput = z.object({ id, remark: text('备注', 200) })
export const RateInput = z.object({
  id,
  satisfaction: choice('满意度', SATISFACTION),
  satisfactionRemark: note('评价内容', 200),
})

/**
 * After-sales tickets. Calls with access `session` check in the service for a permission of one of the after-sales
 * pages.
 */
export const feedback = {
  page: {
    method: 'GET',
    path: '/api/v1/feedback/page',
    access: 'AfterService:Questions:list',
    input: FeedbackQuery,
    result: createPageSchema(FeedbackRow),
  },
  /** Open tickets that are assigned to the caller or unassigned. */
  pending: {
    method: 'GET',
    path: '/api/v1/feedback/pending/page',
    access: 'AfterService:PendingList:list',
    input: FeedbackQuery,
    result: createPageSchema(FeedbackRow),
  },
  info: {
    method: 'GET',
    path: '/api/v1/feedback/info/:id',
    access: 'session',
    input: byId,
    result: TicketDetail,
  },
  records: {
    method: 'GET',
    path: '/api/v1/feedback/record/list/:id',
    access: 'session',
    input: byId,
    result: z.array(FeedbackRecord),
  },
  dispose: {
    method: 'POST',
    path: '/api/v1/feedback/dispose',
    access: 'AfterService:Questions:submit',
    title: '处理工单',
    kind: 'edit',
    body: 'json',
    input: DisposeInput,
    result: z.object({ version: z.int() }),
    done: '处理成功',
  },
  /** Adds a remark to the timeline. The ticket itself stays unchanged. */
  comment: {
    method: 'POST',
    path: '/api/v1/feedback/comment',
    access: 'AfterService:Questions:submit',
    title: '备注工单',
    kind: 'edit',
    body: 'json',
    input: CommentInput,
    result: z.null(),
    done: '备注已添加',
  },
  create: {
    method: 'POST',
    path: '/api/v1/feedback',
    access: 'AfterService:Questions:add',
    title: '新增工单',
    body: 'json',
    input: FeedbackInput,
    result: z.object({ id: z.int(), feedbackNo: z.string() }),
    done: '工单已创建',
  },
  /** Assigns an unassigned ticket to the caller. Of two simultaneous calls one succeeds. */
  claim: {
    method: 'POST',
    path: '/api/v1/feedback/claim/:id',
    access: 'AfterService:PendingList:claim',
    title: '认领工单',
    kind: 'edit',
    input: byId,
    result: z.object({ version: z.int() }),
    done: '认领成功',
  },
  assign: {
    method: 'POST',
    path: '/api/v1/feedback/assign',
    access: 'AfterService:Questions:assign',
    title: '分派工单',
    kind: 'edit',
    body: 'json',
    input: AssignInput,
    result: FeedbackBatch,
    done: '分派完成',
  },
  suspend: {
    method: 'POST',
    path: '/api/v1/feedback/suspend',
    access: 'AfterService:Questions:submit',
    title: '挂起工单',
    kind: 'edit',
    body: 'json',
    input: SuspendInput,
    result: FeedbackBatch,
    done: '挂起完成',
  },
  close: {
    method: 'POST',
    path: '/api/v1/feedback/close',
    access: 'AfterService:Questions:submit',
    title: '关闭工单',
    kind: 'edit',
    body: 'json',
    input: CloseInput,
    result: FeedbackBatch,
    done: '关闭完成',
  },
  priority: {
    method: 'POST',
    path: '/api/v1/feedback/priority',
    access: 'AfterService:Questions:edit',
    title: '调整工单优先级',
    kind: 'edit',
    body: 'json',
    input: PriorityInput,
    result: FeedbackBatch,
    done: '优先级已调整',
  },
  tags: {
    method: 'POST',
    path: '/api/v1/feedback/tags',
    access: 'AfterService:Questions:edit',
    title: '修改工单标签',
    kind: 'edit',
    body: 'json',
    input: TagsInput,
    result: FeedbackBatch,
    done: '标签已修改',
  },
  /** Merges duplicates into one ticket: the duplicates are closed and link to that ticket. */
  merge: {
    method: 'POST',
    path: '/api/v1/feedback/merge',
    access: 'AfterService:Questions:merge',
    title: '合并工单',
    kind: 'edit',
    body: 'json',
    input: MergeInput,
    result: FeedbackBatch,
    done: '合并完成',
  },
  /** Stores the customer's satisfaction rating. */
  rate: {
    method: 'POST',
    path: '/api/v1/feedback/rate',
    access: 'AfterService:Questions:edit',
    title: '记录工单满意度',
    kind: 'edit',
    body: 'json',
    input: RateInput,
    result: z.object({ version: z.int() }),
    done: '评价已记录',
  },
  export: {
    method: 'GET',
    path: '/api/v1/feedback/export',
    access: 'AfterService:Questions:export',
    stream: 'download',
    kind: 'export',
    title: '导出工单',
    input: FeedbackQuery.omit(paging).extend(exportQuery.shape),
    result: z.null(),
  },
  /** Downloads all pictures (`kind=image`), all attachments (`file`), or both in one archive. */
  zip: {
    method: 'GET',
    path: '/api/v1/feedback/attachment/zip/:id',
    access: 'session',
    stream: 'download',
    input: z.object({ id, kind: z.enum(['image', 'file', 'all'], '类型不正确').default('all') }),
    result: z.null(),
  },
  print: {
    method: 'GET',
    path: '/api/v1/feedback/print/:id',
    access: 'AfterService:Questions:print',
    input: byId,
    result: z.object({ info: TicketDetail, records: z.array(FeedbackRecord) }),
  },
  devices: {
    method: 'GET',
    path: '/api/v1/feedback/device/page',
    access: 'AfterService:Equipment:list',
    input: AfterSalesDeviceQuery,
    result: createPageSchema(AfterSalesDevice),
  },
  exportDevices: {
    method: 'GET',
    path: '/api/v1/feedback/device/export',
    access: 'AfterService:Equipment:export',
    stream: 'download',
    kind: 'export',
    title: '导出售后设备',
    input: AfterSalesDeviceQuery.omit(paging).extend(exportQuery.shape),
    result: z.null(),
  },
  /** Device data of a ticket: state, version history, upgrade tasks, and tickets of its serial number. */
  device: {
    method: 'GET',
    path: '/api/v1/feedback/device/:sn',
    access: 'session',
    input: z.object({
      sn: z.string('设备序列号不正确').overwrite(normalizeLine).min(1, '设备序列号不正确').max(64, '设备序列号不正确'),
    }),
    result: DeviceContext,
  },
} as const satisfies Contract
