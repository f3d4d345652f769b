import * as z from 'zod'

export const EXPORT_FORMATS = ['xlsx', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Maximum rows of an export that is streamed in the response; a larger export becomes a job. */
export const DIRECT_EXPORT_ROWS = 100_000
/** Maximum rows of any export. */
export const MAX_EXPORT_ROWS = 2_000_000
/** Days for which the file of a background export can be downloaded. */
export const EXPORT_DAYS = 7
/** Maximum rows of an import that is processed within the request; a larger import becomes a job. */
export const DIRECT_IMPORT_ROWS = 2000
/** Maximum concurrent jobs of one account. */
export const MAX_OPEN_JOBS = 5

export const TRANSFER_MESSAGES = {
  exportLater: `数据超过${DIRECT_EXPORT_ROWS}条，已转为后台导出，完成后可在「我的任务」下载`,
  /** Message of exports that always run as a job, whatever the number of rows. */
  exportQueued: '已转为后台导出，完成后可在「我的任务」下载',
  importLater: `数据超过${DIRECT_IMPORT_ROWS}条，已转为后台导入，完成后可在「我的任务」查看结果`,
  checkLater: '正在后台校验，尚未导入，完成后可在「我的任务」查看结果',
  tooManyRows: `一次最多导出${MAX_EXPORT_ROWS}条，请缩小查询范围`,
  tooManyJobs: `您已有${MAX_OPEN_JOBS}个任务在进行，请等待完成或在「我的任务」取消后重试`,
} as const
/** Maximum problems in the report of an import without a job; the file of failed lines contains all of them. */
export const MAX_REPORTED_ROWS = DIRECT_IMPORT_ROWS
/** Maximum problems in the report of an import job; the file of failed lines contains all of them. */
export const MAX_JOB_REPORTED_ROWS = 200
/** Maximum reasons in the report of an import. Lines with further reasons are counted together. */
export const MAX_REPORTED_REASONS = 20

/** Export fields added to a list filter: file format, and optionally the columns in order (a repeated key). */
export const exportQuery = z.object({
  format: z.enum(EXPORT_FORMATS, '导出格式不正确').default('xlsx').meta({ title: '导出格式' }),
  columns: z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      z.array(z.string().min(1).max(64), '导出列不正确').max(100, '导出列不正确').optional(),
    )
    .meta({ title: '导出列' }),
})

/**
 * A problem of an import's refused line, which may have several. `row` is the spreadsheet's line number; `field` is the
 * column title.
 */
export const importProblem = z.object({ row: z.int(), field: z.string().optional(), msg: z.string() })

/** Joins the problems of one line to one text, each problem after the title of its field. */
export const joinProblems = (problems: readonly Pick<z.output<typeof importProblem>, 'field' | 'msg'>[]) =>
  problems.map(({ field, msg }) => (field ? `${field}：${msg}` : msg)).join('；')

/** Number of refused lines with one reason. Each line counts once, with its first problem. */
export const importReason = z.object({ msg: z.string(), lines: z.int() })
export type ImportReason = z.output<typeof importReason>

/** Result of an import, or of its dry run with `dryRun`. `rows` lists the problems; a job lists the first 200. */
export const importReport = z.object({
  total: z.int(),
  created: z.int(),
  updated: z.int(),
  failed: z.int(),
  rows: z.array(importProblem).max(MAX_REPORTED_ROWS),
  dryRun: z.boolean(),
  /** Refused lines by reason, most frequent first. Absent when no line was refused. */
  reasons: z.array(importReason).max(MAX_REPORTED_REASONS).optional(),
  /** Notes about properties of the file that the author may have overlooked, for example rows hidden by a filter. */
  notes: z.array(z.string()).optional(),
  /** File with all columns of the refused lines, for correction and a second import. */
  file: z.object({ id: z.string(), name: z.string(), size: z.int() }).optional(),
})
/** Id of the background job; returned instead of a file or report. */
export const jobResponse = z.object({ jobId: z.int() })
export type JobResponse = z.output<typeof jobResponse>
export type ImportProblem = z.output<typeof importProblem>
export type ImportReport = z.output<typeof importReport>

/** Result of a batch: number of rows that succeeded, and the error of every other row. */
export const BatchReport = z.object({
  done: z.int(),
  failed: z.array(z.object({ id: z.int(), name: z.string(), msg: z.string() })),
})
