import { ALLOWANCE_LEDGER, AllowanceRow, storageAllowances } from '@oms/contract/storage/allowance.ts'
import { Button, Tabs } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { Time, time } from '#kit/record/time.tsx'

const { item, wide } = createDescriptions(AllowanceRow)
const ITEMS = [
  item('tenantName'),
  item('packageName'),
  item('quota'),
  item('used'),
  item('remaining'),
  item('updateTime', time),
  wide('remark'),
]

/** Allowance drawer: details, ledger and history. */
export function AllowanceDrawer(props: {
  rows: readonly AllowanceRow[]
  row: AllowanceRow | undefined
  onRow(row: AllowanceRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ tenantName }) => `开通额度 ${tenantName}`}>
      {(row) => (
        <Tabs
          items={[
            {
              key: 'details',
              label: '基本信息',
              children: (
                <>
                  <Descriptions row={row} items={ITEMS} />
                  <section>
                    <h3 className="kit-heading">额度流水</h3>
                    <Ledger key={row.id} id={row.id} />
                  </section>
                </>
              ),
            },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="storageAllowance" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

const LEDGER_PAGES = [50, 200] as const

function Ledger({ id }: { id: number }) {
  const [pageSize, setPageSize] = useState<number>(LEDGER_PAGES[0])
  const { data, error, refetch } = useRead(storageAllowances.ledger, { id, pageNum: 1, pageSize }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return (
    <div className="kit-scroll">
      <table className="kit-table" aria-label="额度流水">
        <thead>
          <tr>
            <th>时间</th>
            <th>类型</th>
            <th className="kit-number">变动</th>
            <th className="kit-number">剩余</th>
            <th>操作人</th>
            <th>说明</th>
          </tr>
        </thead>
        <tbody>
          {data.list.map((line) => (
            <tr key={line.id}>
              <td>
                <Time at={line.createTime} />
              </td>
              <td>{ALLOWANCE_LEDGER[line.kind as keyof typeof ALLOWANCE_LEDGER]}</td>
              <td className="kit-number">{`${line.amount > 0 ? '+' : ''}${line.amount.toLocaleString()}`}</td>
              <td className="kit-number">{line.balance.toLocaleString()}</td>
              <td>{line.operName}</td>
              <td>{line.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.total > pageSize && pageSize < LEDGER_PAGES[1] && (
        <Button block onClick={() => setPageSize(LEDGER_PAGES[1])}>
          更多流水
        </Button>
      )}
    </div>
  )
}
