import * as z from 'zod'

export const EXPORT_FORMATS = ['xlsx', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Up to here an export streams into the answer; beyond it becomes a job. */
export const DIRECT_EXPORT_ROWS = 100_000
/** No export holds more rows: who wants more asks for less at a time. */
export const MAX_EXPORT_ROWS = 2_000_000
/** Days the file of a background export can be fetched. */
export const EXPORT_DAYS = 7
/** Up to here an import is answered with its report; beyond it becomes a job. */
export const DIRECT_IMPORT_ROWS = 2000
/** Jobs one account may have under way. */
export const MAX_OPEN_JOBS = 5

export const TRANSFER_MESSAGES = {
  exportLater: `数据超过${DIRECT_EXPORT_ROWS}条，已转为后台导出，完成后可在「我的任务」下载`,
  importLater: `数据超过${DIRECT_IMPORT_ROWS}条，已转为后台导入，完成后可在「我的任务」查看结果`,
  tooManyRows: `一次最多导出${MAX_EXPORT_ROWS}条，请缩小查询范围`,
  tooManyJobs: `您已有${MAX_OPEN_JOBS}个任务在进行，请等待完成或在「我的任务」取消后重试`,
} as const
/** Problems of an import a report lists: every one of an import that is answered at once. */
export const MAX_REPORTED_ROWS = DIRECT_IMPORT_ROWS
/** Of one that became a job the first of them; its file of failed lines holds all. */
export const JOB_REPORTED_ROWS = 200

/** Added to the filter of a list: file format and, if not all, the columns in the order wanted (a repeated key). */
export const exportQuery = z.object({
  format: z.enum(EXPORT_FORMATS, '导出格式不正确').default('xlsx').meta({ title: '导出格式' }),
  columns: z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      z.array(z.string().min(1).max(64), '导出列不正确').max(100, '导出列不正确').optional(),
    )
    .meta({ title: '导出列' }),
})

/** One line of an import that was not taken: `row` is the line number a spreadsheet shows, `field` the column's title. */
export const importProblem = z.object({ row: z.int(), field: z.string().optional(), msg: z.string() })

/** What an import did, or with `dryRun` would do. `rows` holds its problems, of a job the first 200. */
export const importReport = z.object({
  total: z.int(),
  created: z.int(),
  updated: z.int(),
  failed: z.int(),
  rows: z.array(importProblem).max(MAX_REPORTED_ROWS),
  dryRun: z.boolean(),
})
/** Instead of a file or a report: the work goes on as this job. */
export const jobAnswer = z.object({ jobId: z.int() })
export type JobAnswer = z.output<typeof jobAnswer>
export type ImportProblem = z.output<typeof importProblem>
export type ImportReport = z.output<typeof importReport>
