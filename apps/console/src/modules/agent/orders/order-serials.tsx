import { UploadOutlined } from '@ant-design/icons'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { splitSerials, TARGET_FILE_RULE, type TargetFileReport } from '@oms/contract/agent/orders/order-entities.ts'
import { Alert, Button, Form, Input } from 'antd'
import { useState } from 'react'
import { call, findErrorMessage } from '#core/api/client.ts'
import { ProblemList } from '#kit/jobs/import-problems.tsx'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import { TableLimits } from '#kit/upload/table-limits.tsx'
import './order.css'

interface Props {
  /** Set by Field. */
  readonly id?: string
  readonly value?: string
  readonly onChange?: (value: string) => void
  readonly tenantId: number | undefined
}

/** Files that can be chosen: the tables of the server, and text files, which are sent as tables. */
const CHOSEN_FILE_RULE = { ...TARGET_FILE_RULE, extensions: [...TARGET_FILE_RULE.extensions, 'txt'] }

/** Renames a text file to a table with one column, because a text file has one serial number a line. */
const asTable = (file: File) =>
  file.name.toLowerCase().endsWith('.txt') ? new File([file], `${file.name}.csv`, { type: 'text/csv' }) : file

/** Reads a file with targets and holds the report of refused lines. `add` receives the usable serial numbers. */
function useTargetFile(tenantId: number | undefined, add: (serials: readonly string[]) => void) {
  const packageId = Form.useWatch<number | undefined>('packageId', { preserve: true })
  const [report, setReport] = useState<TargetFileReport>()
  const [isReading, setReading] = useState(false)
  const { problems, accept, add: addProblem } = useFileProblems()
  const take = async ([chosen]: File[]) => {
    if (!chosen || isReading) return
    setReport(undefined)
    if (!accept(CHOSEN_FILE_RULE, chosen)) return
    const file = asTable(chosen)
    setReading(true)
    try {
      const found = await call(agentOrders.targetFile, { file, tenantId, packageId } as never, { quiet: true })
      setReport(found)
      add(found.serials)
    } catch (error) {
      // A file that cannot be read does not change the serial numbers of the field.
      addProblem(findErrorMessage(error))
    }
    setReading(false)
  }
  return { report, problems, isReading, take }
}

/** Serial numbers or MACs, one per line. A file adds its first column; refused lines are listed. */
export function SerialsField({ id, value = '', onChange, tenantId }: Props) {
  const { report, problems, isReading, take } = useTargetFile(tenantId, (serials) =>
    onChange?.([...new Set([...splitSerials(value), ...serials])].join('\n')),
  )
  return (
    <div className="order-serials">
      <Input.TextArea
        {...(id && { id })}
        rows={5}
        value={value}
        placeholder="每行一个序列号或 MAC，也可用逗号、空格分隔"
        onChange={({ target }) => onChange?.(target.value)}
      />
      <div className="order-serials-file">
        <FileButton label="选择序列号文件" extensions={CHOSEN_FILE_RULE.extensions} onFiles={take}>
          <Button icon={<UploadOutlined />} loading={isReading}>
            从文件读取
          </Button>
        </FileButton>
        <span className="order-quiet" role="status">
          共 {splitSerials(value).length.toLocaleString()} 个
        </span>
      </div>
      <TableLimits rule={CHOSEN_FILE_RULE} outro="，取每行第一列" />
      <FileProblems problems={problems} />
      {report && <FileReport report={report} />}
    </div>
  )
}

const FileReport = ({ report: { total, serials, rows } }: { readonly report: TargetFileReport }) => (
  <div role="status">
    <Alert
      type={rows.length > 0 ? 'warning' : 'success'}
      showIcon
      title={`文件共 ${total} 行：读入 ${serials.length} 行，${rows.length} 行有问题`}
      description={rows.length > 0 && '有问题的行没有读入，可修改文件后重新选择。'}
    />
    <ProblemList rows={rows} />
  </div>
)
