import { logs, OperLogDetail, OPERATION_LABELS } from '@oms/contract/system/log.ts'
import { Tabs } from 'antd'
import { useRead } from '#core/api/query.ts'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { FieldChanges } from '#kit/record/field-changes.tsx'
import { DictLabel } from '#kit/pickers/dict-words.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { Time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { CodeBlock } from '#kit/record/code-block.tsx'
import type { OperLogLine } from './oper-log.page.tsx'
import { OutcomeTag } from './outcome.tsx'

const { item, wide } = createDescriptions(OperLogDetail)
const ITEMS = [
  item('operTime', (at) => <Time at={at} />),
  item('operName'),
  item('title'),
  item('businessType', (type) => <DictLabel type="sys_oper_type" words={OPERATION_LABELS} value={type} />),
  item('status', (status) => <OutcomeTag ok={status === 1} />),
  item('costTime'),
  item('operIp', (ip, { operLocation }) => `${ip} ${operLocation}`),
  item('browser', (browser, { os }) => `${browser} · ${os}`),
  item('tenantName'),
  item('traceId'),
  wide('action'),
  wide('operUrl', (url, { requestMethod }) => `${requestMethod} ${url}`),
]
const WHY = wide('errorMsg')

interface DrawerProps {
  rows: readonly OperLogLine[]
  row: OperLogLine | undefined
  onRow(row: OperLogLine | undefined): void
}

/** Operation drawer: parameters, changes, and other operations on the same record. */
export function OperLogDrawer(props: DrawerProps) {
  return (
    <DetailDrawer {...props} rowKey="operId" title={({ action, title }) => action || title}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '操作详情', children: <Operation key={row.operId} operId={row.operId} /> },
            ...(row.bizType && row.bizId
              ? [
                  {
                    key: 'history',
                    label: '该记录的历史',
                    children: <RecordHistory key={row.operId} bizType={row.bizType} bizId={row.bizId} />,
                  },
                ]
              : []),
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Operation({ operId }: { operId: number }) {
  const { data, error, refetch } = useRead(logs.operation, { id: operId }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return (
    <>
      <Descriptions row={data} items={data.errorMsg ? [...ITEMS, WHY] : ITEMS} />
      {data.diff.length > 0 && (
        <>
          <h3 className="kit-heading">变更内容</h3>
          <FieldChanges diff={data.diff} />
        </>
      )}
      {data.operParam && (
        <>
          <h3 className="kit-heading">请求参数</h3>
          <CodeBlock name="请求参数">{pretty(data.operParam)}</CodeBlock>
        </>
      )}
    </>
  )
}

/** Formats parameters as JSON. Truncated parameters are no valid JSON and are shown unchanged. */
function pretty(text: string) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
