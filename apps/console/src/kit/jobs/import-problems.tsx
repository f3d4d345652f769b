import { files } from '@oms/contract/system/file.ts'
import type { ImportReason, ImportReport } from '@oms/contract/core/transfer.ts'
import { DownloadOutlined } from '@ant-design/icons'
import { Alert, Button } from 'antd'
import { download } from '#core/api/download.ts'
import '#kit/kit.css'
import { describeImportCounts, joinRowProblems } from './job-words.ts'

/** Shows the counts of an import or dry run, and the problems of every refused row. */
export function ImportProblems({ report }: { report: ImportReport }) {
  const { total, failed, rows, dryRun, reasons = [], notes = [] } = report
  const verb = dryRun ? '将' : '已'
  return (
    <div role="status">
      <Alert
        type={failed > 0 ? 'warning' : 'success'}
        showIcon
        title={`共 ${total} 行：${describeImportCounts(report, verb)}`}
        description={[...(dryRun && failed > 0 ? ['有问题的行不会导入，可修改文件后重新选择。'] : []), ...notes].map(
          (note) => <div key={note}>{note}</div>,
        )}
      />
      {failed > rows.length && <ReasonList reasons={reasons} />}
      <ProblemList rows={rows} failed={failed} />
    </div>
  )
}

/** Counts refused rows by reason. */
export function ReasonList({ reasons }: { readonly reasons: readonly ImportReason[] }) {
  if (reasons.length === 0) return null
  return (
    <ul className="kit-plain kit-row" aria-label="问题汇总">
      {reasons.map(({ msg, lines }) => (
        <li key={msg}>
          {msg} <b>{lines.toLocaleString('zh-CN')} 行</b>
        </li>
      ))}
    </ul>
  )
}

interface ProblemListProps {
  readonly rows: ImportReport['rows']
  /**
   * Number of all refused rows, including rows that are only in the file of failed lines. Default: only the listed
   * rows.
   */
  readonly failed?: number
}

/** Lists refused rows, each with all its problems. */
export function ProblemList({ rows, failed = 0 }: ProblemListProps) {
  if (rows.length === 0) return null
  const refused = joinRowProblems(rows)
  return (
    <ul className="kit-items kit-report">
      {refused.map(({ row, text }) => (
        <li key={row}>
          <b>第 {row} 行</b> {text}
        </li>
      ))}
      {failed > refused.length && <li>还有 {failed - refused.length} 行的问题见失败明细文件</li>}
    </ul>
  )
}

/** Downloads the refused rows of an import without a job, with all columns; a job has its own file. */
export function DownloadFailedRows({ report: { file } }: { report: ImportReport }) {
  if (!file) return null
  return (
    <Button
      type="link"
      icon={<DownloadOutlined />}
      onClick={() => void download(files.download, { id: file.id, download: '1' }, file.name)}
    >
      下载失败明细
    </Button>
  )
}
