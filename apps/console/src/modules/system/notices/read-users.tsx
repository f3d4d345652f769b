import { notices } from '@oms/contract/system/notice.ts'
import { ReadUser } from '@oms/contract/system/notice-rows.ts'
import { Drawer, Statistic } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import type { Notice } from './notice-status.tsx'

const { col } = createColumns(ReadUser)
const QUERY = notices.readUsers.input
const COLUMNS = [
  col('account', { width: 140 }),
  col('realname', { width: 110 }),
  col('tenantName', { width: 150 }),
  col('readTime', (at) => (at ? time(at) : '未读'), { width: 180 }),
]
const CONFIRM = col('confirmTime', time, { width: 180 })

/** Lists the recipients of a notice with the time when they read it. */
export function ReadUsers({ notice, onClose }: { notice: Notice; onClose(): void }) {
  const [open, setOpen] = useState(true)
  return (
    <Drawer
      open={open}
      title={`阅读情况 · ${notice.title}`}
      size="min(820px, 100vw)"
      onClose={() => setOpen(false)}
      afterOpenChange={(shown) => !shown && onClose()}
    >
      <Figures notice={notice} />
      <Receipts notice={notice} />
    </Drawer>
  )
}

function Figures({ notice: { noticeId, needConfirm } }: { notice: Notice }) {
  const { data } = useRead(notices.readUsers, { id: noticeId, pageNum: 1, pageSize: 1 }, { quiet: true })
  const { readCount = 0, targetCount = 0, confirmCount = 0 } = data ?? {}
  return (
    <div className="kit-row kit-note" style={{ gap: 32 }}>
      <Statistic title="对象" value={targetCount} />
      <Statistic title="已读" value={readCount} />
      <Statistic title="未读" value={targetCount - readCount} />
      {needConfirm === 1 && <Statistic title="已确认" value={confirmCount} />}
    </div>
  )
}

function Receipts({ notice: { noticeId, needConfirm } }: { notice: Notice }) {
  const list = useInnerList(notices.readUsers, { id: noticeId })
  return (
    <>
      <SearchForm {...list.search}>
        <SelectFilter of={QUERY} name="read" />
        <Filter of={QUERY} name="keyword" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="uid"
        name="readUsers"
        columns={needConfirm === 1 ? [...COLUMNS, CONFIRM] : COLUMNS}
        empty={{ text: '没有符合条件的账号' }}
      />
    </>
  )
}
