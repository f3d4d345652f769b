import { logs, OperLogDetail, OPERATION_LABELS } from '@oms/contract/log.ts'
import { Tabs } from 'antd'
import { useRead } from '#kernel/query.ts'
import { DetailDrawer } from '#kit/detail-drawer.tsx'
import { Details, detailsOf } from '#kit/details.tsx'
import { FieldChanges } from '#kit/field-changes.tsx'
import { RecordHistory } from '#kit/record-history.tsx'
import { Time } from '#kit/time.tsx'
import { Waiting } from '#kit/waiting.tsx'
import './log.css'
import type { Line } from './oper-log.page.tsx'
import { Outcome } from './outcome.tsx'

const { item, wide } = detailsOf(OperLogDetail)
const ITEMS = [
  item('operTime', (at) => <Time at={at} />),
  item('operName'),
  item('title'),
  item('businessType', (type) => OPERATION_LABELS[type as keyof typeof OPERATION_LABELS] ?? type),
  item('status', (status) => <Outcome ok={status === 1} />),
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
  rows: readonly Line[]
  row: Line | undefined
  onRow(row: Line | undefined): void
}

/** One operation: what it did, what changed, and everything else done to the same record. */
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
      <Details row={data} items={data.errorMsg ? [...ITEMS, WHY] : ITEMS} />
      {data.diff.length > 0 && (
        <>
          <h3 className="log-heading">变更内容</h3>
          <FieldChanges diff={data.diff} />
        </>
      )}
      {data.operParam && (
        <>
          <h3 className="log-heading">请求参数</h3>
          {/* Reachable by keyboard: it scrolls. */}
          <pre className="log-param" tabIndex={0}>
            {pretty(data.operParam)}
          </pre>
        </>
      )}
    </>
  )
}

/** Parameters were cut at their limit when they were long; what is no longer JSON is shown as it is. */
function pretty(text: string) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
