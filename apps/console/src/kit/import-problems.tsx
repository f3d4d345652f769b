import type { ImportReport } from '@oms/contract/kernel/transfer.ts'
import { DownloadOutlined } from '@ant-design/icons'
import { Alert, Button } from 'antd'
import { save } from '#kernel/download.ts'
import './kit.css'

/** What an import did, or would do, and every row it did not take. */
export function ImportProblems({ report }: { report: ImportReport }) {
  const { total, created, updated, failed, rows, dryRun } = report
  const verb = dryRun ? '将' : '已'
  return (
    <div role="status">
      <Alert
        type={failed > 0 ? 'warning' : 'success'}
        showIcon
        title={`共 ${total} 行：${verb}新增 ${created} 行，${verb}更新 ${updated} 行，${failed} 行有问题`}
        description={dryRun && failed > 0 && '有问题的行不会导入，可修改文件后重新选择。'}
      />
      {rows.length > 0 && (
        <ul className="kit-report">
          {rows.map(({ row, field, msg }, index) => (
            <li key={`${row}:${index}`}>
              <b>第 {row} 行</b> {field && `${field}：`}
              {msg}
            </li>
          ))}
          {failed > rows.length && <li>还有 {failed - rows.length} 行的问题见失败明细文件</li>}
        </ul>
      )}
    </div>
  )
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** The rows an import answered at once did not take, as a file; a job hands over its own. */
export function SaveProblems({ report: { rows } }: { report: ImportReport }) {
  if (rows.length === 0) return null
  const saveThem = () => {
    const lines = rows.map(({ row, field = '', msg }) => [String(row), field, msg].map(quoted).join(','))
    save(
      new Blob([`\ufeff${['行号,问题列,原因', ...lines].join('\r\n')}\r\n`], { type: 'text/csv' }),
      '导入失败明细.csv',
    )
  }
  return (
    <Button type="link" icon={<DownloadOutlined />} onClick={saveThem}>
      下载失败明细
    </Button>
  )
}
