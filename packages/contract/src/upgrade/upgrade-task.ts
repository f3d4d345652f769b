import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, ids, note, optional, reference, search, textLine } from '../core/fields.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'
import { TASK_STATE } from './task-state.ts'
import { StateCount } from './upgrade-release.ts'

export const TASK_SORTS = ['taskId', 'updateTime'] as const

export const TaskRow = z.object({
  taskId: z.int().meta({ title: '任务编号' }),
  otaId: z.int(),
  deviceId: z.int(),
  sn: z.string().meta({ title: '序列号' }),
  devName: z.string().meta({ title: '设备名称' }),
  tenantName: z.string().meta({ title: '所属客户' }),
  modelName: z.string().meta({ title: '设备型号' }),
  packageName: z.string().meta({ title: '包名' }),
  verName: z.string().meta({ title: '版本名称' }),
  fromVerCode: z.int().nullable().meta({ title: '原版本号' }),
  verCode: z.int().meta({ title: '目标版本号' }),
  state: z.int().meta({ title: '状态', labels: TASK_STATE }),
  progress: z.int().meta({ title: '进度' }),
  reason: z.string().meta({ title: '设备说明' }),
  code: z.string().nullable().meta({ title: '错误码' }),
  attempt: z.int().meta({ title: '第几次' }),
  retried: z.boolean().meta({ title: '已安排重试' }),
  pushed: z.boolean().meta({ title: '单台推送' }),
  createTime: z.string().meta({ title: '下发时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  closeTime: z.string().nullable().meta({ title: '结束时间' }),
})

export const TaskLog = z.object({
  id: z.number(),
  state: z.int(),
  /** Execution state as sent by the device; empty for entries of the server. */
  execution: z.string(),
  finished: z.string(),
  code: z.string().nullable(),
  details: z.array(z.string()),
  createTime: z.string(),
})

/** Failed tasks with the same message. */
export const FailureRow = z.object({
  reason: z.string().meta({ title: '失败原因' }),
  code: z.string().nullable().meta({ title: '错误码' }),
  count: z.int().meta({ title: '任务数' }),
  /** Number of failed tasks with this reason that were not retried yet. */
  open: z.int().meta({ title: '可重试' }),
  lastTime: z.string().meta({ title: '最近一次' }),
  sn: z.string().meta({ title: '样例设备' }),
})

const otaId = reference('版本')
const yesNo = { 0: '否', 1: '是' } as const
export const taskFilters = {
  otaId,
  state: optional(choice('状态', TASK_STATE)),
  sn: search('序列号', 64),
  tenantId: optional(id).meta({ title: '所属客户' }),
  /** Failure message, exactly as in the failure groups. */
  reason: search('设备说明', 500),
  pushed: optional(choice('单台推送', yesNo)),
  ...timeRange,
}
export const TaskQuery = sortedPage(TASK_SORTS).extend(taskFilters)
const one = z.object({ taskId: reference('任务') })
const count = z.object({ count: z.int() })

export const otaTask = {
  list: {
    method: 'GET',
    path: '/api/v1/upgrade/task',
    access: 'upgrade:ota:query',
    summary: '一个版本的升级任务；beginTime、endTime 为下发时间范围',
    input: TaskQuery,
    result: createPageSchema(TaskRow),
  },
  counts: {
    method: 'GET',
    path: '/api/v1/upgrade/task/counts',
    access: 'upgrade:ota:query',
    summary: '按状态计数，过滤条件同列表',
    input: z.object(taskFilters),
    result: z.array(StateCount),
  },
  failures: {
    method: 'GET',
    path: '/api/v1/upgrade/task/failures',
    access: 'upgrade:ota:query',
    summary: '失败任务按原因归并，次数多的在前',
    input: pageQuery.extend({ otaId }),
    result: createPageSchema(FailureRow),
  },
  export: {
    method: 'GET',
    path: '/api/v1/upgrade/task/export',
    access: 'upgrade:ota:export',
    title: '导出升级任务',
    kind: 'export',
    stream: 'download',
    input: TaskQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  get: {
    method: 'GET',
    path: '/api/v1/upgrade/task/:taskId',
    access: 'upgrade:ota:query',
    input: one,
    result: z.object({ task: TaskRow, logs: z.array(TaskLog) }),
  },
  retry: {
    method: 'POST',
    path: '/api/v1/upgrade/task/retry',
    access: 'upgrade:ota:task',
    title: '重试失败的升级任务',
    kind: 'edit',
    body: 'json',
    input: z.object({
      otaId,
      /** Absent selects all failed tasks. */
      taskIds: ids().optional(),
      /** Selects only tasks that failed with this message. */
      reason: search('失败原因', 500),
    }),
    result: count,
    done: '已安排重试',
  },
  cancel: {
    method: 'POST',
    path: '/api/v1/upgrade/task/cancel',
    access: 'upgrade:ota:task',
    title: '取消升级任务',
    kind: 'edit',
    body: 'json',
    input: z.object({ otaId, taskIds: ids(), reason: note('原因', 200) }),
    result: z.object({ cancelled: z.int(), cancelling: z.int() }),
    done: '任务已取消',
  },
  push: {
    method: 'POST',
    path: '/api/v1/upgrade/task/push',
    access: 'upgrade:ota:push',
    title: '推送版本到设备',
    kind: 'add',
    summary: '不受发布规则限制；降级或重装有风险，须带 risky=1',
    body: 'json',
    input: z.object({
      otaId,
      sn: textLine('序列号', 64),
      risky: choice('风险确认', yesNo).default(0),
    }),
    result: z.object({ taskId: z.int() }),
    done: '推送成功',
  },
  ofDevice: {
    method: 'GET',
    path: '/api/v1/device/ota/task/device',
    access: 'device:apkManage:query',
    summary: '一台设备的升级任务，新的在前',
    input: pageQuery.extend({ deviceId: reference('设备') }),
    result: createPageSchema(TaskRow),
  },
} as const satisfies Contract
