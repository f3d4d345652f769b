import type { ImportReport } from '@oms/contract/kernel/transfer.ts'
import { Alert } from 'antd'
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
          {failed > rows.length && <li>还有 {failed - rows.length} 行的问题未列出</li>}
        </ul>
      )}
    </div>
  )
}
