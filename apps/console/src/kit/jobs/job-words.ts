import type { JobRow } from '@oms/contract/job/job.ts'
import { EXPORT_DAYS, type ImportReport, joinProblems } from '@oms/contract/core/transfer.ts'

type Level = 'success' | 'error' | 'info'

const ENDS: Readonly<Record<string, readonly [word: string, level: Level]>> = {
  failed: ['失败', 'error'],
  cancelled: ['已取消', 'info'],
}

/** Returns texts and duration of the notification for a finished job. */
export function describeJobEnd(job: JobRow) {
  const [word, level] = ENDS[job.state] ?? (['完成', 'success'] as const)
  return {
    level,
    title: `${job.title}${word}`,
    description: describe(job),
    // A failure, or a file that was not downloaded, stays until the user closes it.
    duration: job.state === 'failed' || job.file ? 0 : 8,
  }
}

function describe({ state, error, rows, report, file }: JobRow) {
  if (error) return error
  if (state !== 'done') return '任务没有完成'
  if (report) return describeImportCounts(report)
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
