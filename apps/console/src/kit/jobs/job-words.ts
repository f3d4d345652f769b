import { JOB_STATE, type JobRow, type JobState } from '@oms/contract/system/job.ts'
import { EXPORT_DAYS, type ImportReport, joinProblems } from '@oms/contract/core/transfer.ts'

type Level = 'success' | 'warning' | 'error' | 'info'

const ENDS: Readonly<Record<string, readonly [word: string, level: Level]>> = {
  failed: ['失败', 'error'],
  cancelled: ['已取消', 'info'],
}

/** Returns texts and duration of the notification for a finished job. */
export function describeJobEnd(job: JobRow) {
  const [word, level] = ENDS[job.state] ?? (['完成', hasRefusedRows(job) ? 'warning' : 'success'] as const)
  return {
    level,
    title: isFinishedCheck(job) ? '校验完成，尚未导入' : `${job.title}${word}`,
    description: isFinishedCheck(job) ? `${job.title}，${describe(job)}` : describe(job),
    // A failure, a file that was not downloaded, or a dry run stays until the user closes it.
    duration: job.state === 'failed' || job.file || isFinishedCheck(job) ? 0 : 8,
  }
}

/** True for the finished dry run of an import, which changed nothing. */
const isFinishedCheck = ({ state, report }: JobRow) => state === 'done' && report?.dryRun === true

/** True for a finished import or dry run with refused rows. */
const hasRefusedRows = ({ state, report }: JobRow) => state === 'done' && report !== null && report.failed > 0

/** Returns the state of a job in the list. A finished dry run is not a finished import. */
export const describeJobState = (job: JobRow) => ({
  text: isFinishedCheck(job) ? '已校验' : JOB_STATE[job.state],
  color: hasRefusedRows(job) ? 'warning' : isFinishedCheck(job) ? 'processing' : STATE_COLORS[job.state],
})

const STATE_COLORS: Readonly<Record<JobState, string>> = {
  waiting: 'default',
  running: 'processing',
  done: 'success',
  failed: 'error',
  cancelled: 'default',
}

function describe({ state, error, rows, report, file }: JobRow) {
  if (error) return error
  if (state !== 'done') return '任务没有完成'
  if (report) return describeImportCounts(report, report.dryRun ? '将' : '')
  const made = rows === null ? '' : `共 ${rows.toLocaleString('zh-CN')} 条`
  const kept = file && !file.expired ? `文件 ${file.name} 保留 ${EXPORT_DAYS} 天` : ''
  return [made, kept].filter(Boolean).join('，') || '已完成'
}

/** Describes the counts of an import. A count of 0 created or updated rows is omitted: some imports only create rows. */
export const describeImportCounts = (
  { created, updated, failed }: Pick<ImportReport, 'created' | 'updated' | 'failed'>,
  verb = '',
) =>
  [created > 0 && `${verb}新增 ${created} 行`, updated > 0 && `${verb}更新 ${updated} 行`, `${failed} 行有问题`]
    .filter(Boolean)
    .join('，')

/** Returns each refused row once, with the text of all its problems. */
export const joinRowProblems = (rows: ImportReport['rows']) =>
  [...Map.groupBy(rows, ({ row }) => row)].map(([row, problems]) => ({
    row,
    text: joinProblems(problems),
  }))
