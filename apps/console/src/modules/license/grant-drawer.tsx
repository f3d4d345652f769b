import { GrantRow, LEDGER_KIND, licenseGrants } from '@oms/contract/license/license-grant.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button, Empty, Tabs } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { GrantTag, GrantQuota } from './grant-cells.tsx'

const { item, wide } = createDescriptions(GrantRow)
const ITEMS = [
  item('grantNo'),
  item('status', (status) => <GrantTag status={status} />),
  item('tenantName'),
  item('typeCode'),
  item('modelName', (name) => name || '不限'),
  item('quota', (_, row) => <GrantQuota row={row} />),
  item('remaining', (n) => n.toLocaleString()),
  item('contractNo'),
  item('validFrom'),
  item('validTo'),
  item('applyName'),
  item('createTime', time),
  item('auditName'),
  item('auditTime', time),
  wide('auditRemark'),
  wide('remark'),
]

/** Grant drawer: details, ledger and history. */
export function GrantDrawer(props: {
  rows: readonly GrantRow[]
  row: GrantRow | undefined
  onRow(row: GrantRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ grantNo }) => `授权 ${grantNo}`}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Descriptions row={row} items={ITEMS} /> },
            { key: 'ledger', label: '额度流水', children: <Ledger key={row.id} id={row.id} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="license-grant" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Ledger({ id }: { id: number }) {
  const [pageSize, setPageSize] = useState(50)
  const { data, error, refetch } = useRead(licenseGrants.ledger, { id, pageNum: 1, pageSize }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="审批通过后开始记录" />
  return (
    <>
      <table className="kit-table" aria-label="额度流水">
        <thead>
          <tr>
            <th>时间</th>
            <th>类型</th>
            <th className="kit-number">变动</th>
            <th className="kit-number">余额</th>
            <th>操作人</th>
            <th>说明</th>
          </tr>
        </thead>
        <tbody>
          {data.list.map((line) => (
            <LedgerLine key={line.id} line={line} />
          ))}
        </tbody>
      </table>
      {data.total > pageSize && pageSize < 200 && (
        <Button block onClick={() => setPageSize(200)}>
          更多流水
        </Button>
      )}
    </>
  )
}

function LedgerLine({ line }: { line: ResultOf<typeof licenseGrants.ledger>['list'][number] }) {
  return (
    <tr>
      <td>
        <Time at={line.createTime} />
      </td>
      <td>{LEDGER_KIND[line.kind as keyof typeof LEDGER_KIND] ?? line.kind}</td>
      <td className="kit-number">{`${line.amount > 0 ? '+' : ''}${line.amount.toLocaleString()}`}</td>
      <td className="kit-number">{line.balance.toLocaleString()}</td>
      <td>{line.operName}</td>
      <td>{line.reason}</td>
    </tr>
  )
}
