import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'
import { id, optional } from './kernel/fields.ts'
import { pageOf, pageQuery } from './kernel/page.ts'
import { importReport } from './kernel/transfer.ts'

export const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]
export const JOB_STATE: Readonly<Record<JobState, string>> = {
  waiting: '排队中',
  running: '进行中',
  done: '已完成',
  failed: '失败',
  cancelled: '已取消',
}
/** Still to come or under way: it may be cancelled. */
export const isOpen = (state: string) => state === 'waiting' || state === 'running'

export const JobRow = z.object({
  jobId: z.int().meta({ title: '任务编号' }),
  title: z.string().meta({ title: '任务' }),
  state: z.enum(JOB_STATES).meta({ title: '状态' }),
  percent: z.int().meta({ title: '进度' }),
  /** Why it failed, in words for the person. */
  error: z.string().meta({ title: '原因' }),
  /** Rows written or read. */
  rows: z.int().nullable().meta({ title: '条数' }),
  /** What it made; `expired` once the file has been swept. */
  file: z.object({ id: z.string(), name: z.string(), size: z.number(), expired: z.boolean() }).nullable(),
  /** What an import did. */
  report: importReport.nullable(),
  createTime: z.string().meta({ title: '提交时间' }),
  finishTime: z.string().nullable().meta({ title: '完成时间' }),
})
export type JobRow = z.output<typeof JobRow>

/** Background jobs of one's own: exports and imports too large to wait for. */
export const jobs = {
  list: {
    method: 'GET',
    path: '/api/v1/account/job',
    access: 'session',
    input: pageQuery.extend({ state: optional(z.enum(JOB_STATES, '状态不正确')) }),
    result: pageOf(JobRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/account/job/:id',
    access: 'session',
    input: z.object({ id }),
    result: JobRow,
  },
  cancel: {
    method: 'POST',
    path: '/api/v1/account/job/cancel/:id',
    access: 'session',
    title: '取消任务',
    input: z.object({ id }),
    result: z.null(),
    done: '任务已取消',
  },
} as const satisfies Contract
