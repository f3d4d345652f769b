import { DownloadOutlined } from '@ant-design/icons'
import type { Endpoint, InputOf } from '@oms/contract/core/endpoint.ts'
import { EXPORT_FORMATS, type ExportFormat } from '@oms/contract/core/transfer.ts'
import { Button, Dropdown } from 'antd'
import { useState } from 'react'
import { fetchFile } from '#core/api/download.ts'
import { Allowed } from '#core/auth/session.tsx'
import { toast } from '#core/loading/toast.ts'
import { showJob } from '#kit/jobs/show-job.ts'
import { useShownColumns } from '#kit/table/shown-columns.ts'

const FORMATS: Readonly<Record<ExportFormat, string>> = { xlsx: 'Excel（.xlsx）', csv: 'CSV（.csv）' }

/** Exports the list with its current filters, order and columns. Used in DataTable's `tools`. */
export function ExportButton<E extends Endpoint>({
  to,
  query,
  name,
  columns,
  label = '导出',
}: {
  to: E
  query: object
  /** File name without extension. */
  name: string
  /** Server columns, when they differ from the table columns. */
  columns?: readonly string[]
  label?: string
}) {
  const [busy, setBusy] = useState(false)
  const shown = useShownColumns()
  const run = async (format: ExportFormat) => {
    setBusy(true)
    const input = { ...query, format, columns: columns ?? shown } as unknown as InputOf<E>
    const result = await fetchFile(to, input, `${name}.${format}`)
    if (result.kind === 'saved') toast.success('导出完成')
    else if (result.kind === 'later') showJob(result.jobId, result.message)
    else toast.error(result.message)
    setBusy(false)
  }
  return (
    <Allowed to={to}>
      <Dropdown
        trigger={['click']}
        disabled={busy}
        menu={{
          items: EXPORT_FORMATS.map((format) => ({ key: format, label: FORMATS[format], onClick: () => run(format) })),
        }}
      >
        <Button icon={<DownloadOutlined />} loading={busy}>
          {busy ? '正在导出' : label}
        </Button>
      </Dropdown>
    </Allowed>
  )
}
