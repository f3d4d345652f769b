import { logs } from '@oms/contract/system/log.ts'
import { Button, Empty, Timeline } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { FieldChanges } from './field-changes.tsx'
import './record-history.css'
import { Time } from './time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'

/** Returns the tab with the operation log of a record, for the drawer of the record. */
export const createHistoryTab = (bizType: string, bizId: string | number) => ({
  key: 'history',
  label: '操作记录',
  children: <RecordHistory key={bizId} bizType={bizType} bizId={bizId} />,
})

const STEP = 20
const MAX_HISTORY_ROWS = 200

/**
 * Shows the operations on one record with their changes, newest first. `bizType` and `bizId` as in the operation log.
 */
export function RecordHistory({ bizType, bizId }: { bizType: string; bizId: string | number }) {
  const [pageSize, setPageSize] = useState(STEP)
  const asked = { bizType, bizId: String(bizId), pageNum: 1, pageSize }
  const { data, error, refetch, isPlaceholderData } = useRead(logs.history, asked, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0) return <Empty description="近一年没有操作记录" />
  return (
    <div className="kit-history">
      <Timeline
        items={data.list.map(({ operId, operTime, operName, operIp, action, title, diff }) => ({
          key: operId,
          content: (
            <>
              <div className="kit-muted kit-row">
                <Time at={operTime} />
                <span>{operName}</span>
                <span>{operIp}</span>
              </div>
              <div>{action || title}</div>
              <FieldChanges diff={diff} />
            </>
          ),
        }))}
      />
      {data.total > pageSize && pageSize < MAX_HISTORY_ROWS && (
        <Button block loading={isPlaceholderData} onClick={() => setPageSize(Math.min(pageSize * 2, MAX_HISTORY_ROWS))}>
          更多记录
        </Button>
      )}
    </div>
  )
}
