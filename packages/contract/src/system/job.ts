import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { id, optional } from '../core/fields.ts'
import { createPageSchema, pageQuery } from '../core/page.ts'
import { importReport } from '../core/transfer.ts'

export const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]
export const JOB_STATE: Readonly<Record<JobState, string>> = {
  waiting: '排队中',
  running: '进行中',
  done: '已完成',
  failed: '失败',
  cancelled: '已取消',
}
/** Returns whether the job is queued or running, and can therefore be cancelled. */
export const isJobOpen = (state: string) => state === 'waiting' || state === 'running'

export const JobRow = z.object({
  jobId: z.int().meta({ title: '任务编号' }),
  title: z.string().meta({ title: '任务' }),
  state: z.enum(JOB_STATES).meta({ title: '状态' }),
  percent: z.int().meta({ title: '进度' }),
  /** Failure message for the user. */
  error: z.string().meta({ title: '原因' }),
  /** Number of rows written or read. */
  rows: z.int().nullable().meta({ title: '条数' }),
  /** Result file; `expired` is true after the file was deleted. */
  file: z.object({ id: z.string(), name: z.string(), size: z.number(), expired: z.boolean() }).nullable(),
  /** Report of an import job. */
  report: importReport.nullable(),
  createTime: z.string().meta({ title: '提交时间' }),
  finishTime: z.string().nullable().meta({ title: '完成时间' }),
})
export type JobRow = z.output<typeof JobRow>

const JobDetail = JobRow.extend({
  /** Further facts of an import for its dialog, for example the plan of a batch of cloud storage. */
  answer: z.record(z.string(), z.unknown()).nullable(),
})
export type JobDetail = z.output<typeof JobDetail>

/** The caller's background jobs: large exports and imports. */
export const jobs = {
  list: {
    method: 'GET',
    path: '/api/v1/account/job',
    access: 'session',
    input: pageQuery.extend({ state: optional(z.enum(JOB_STATES, '状态不正确')) }),
    result: createPageSchema(JobRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/account/job/:id',
    access: 'session',
    input: z.object({ id }),
    result: JobDetail,
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
