import { files } from '@oms/contract/system/file.ts'
import { NOTICE_TARGET, notices } from '@oms/contract/system/notice.ts'
import { Button, Tabs, Tag, Drawer, Statistic } from 'antd'
import { download } from '#core/api/download.ts'
import { formatBytes } from '#core/text/format.ts'
import { useRead } from '#core/api/query.ts'
import { RichText } from '#core/text/rich-text.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { type Notice, NoticePriority, NoticeStatus, NoticeType } from './notice-status.tsx'
import './notice.css'
import { ReadUser } from '@oms/contract/system/notice-rows.ts'
import { useState } from 'react'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useInnerList } from '#kit/list/use-list.ts'

interface Props {
  rows: readonly Notice[]
  row: Notice | undefined
  onRow(row: Notice | undefined): void
}
const TARGETS: Readonly<Record<number, string>> = NOTICE_TARGET

/** Shows a notice as its recipients see it, with the list of targets. */
export function NoticePreview(props: Props) {
  return (
    <DetailDrawer {...props} rowKey="noticeId" title={({ title }) => title}>
      {(row) => (
        <Tabs
          items={[
            { key: 'preview', label: '内容', children: <Preview key={row.noticeId} row={row} /> },
            createHistoryTab('notice', row.noticeId),
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Preview({ row }: { row: Notice }) {
  const { data, error, refetch } = useRead(notices.get, { id: row.noticeId }, { keepPrevious: false, quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return (
    <article>
      <div className="kit-hint kit-row">
        <span className="kit-tags">
          <NoticeType type={data.type} />
          <NoticePriority priority={data.priority} />
          <NoticeStatus notice={data} />
        </span>
        <span>
          {data.publisherName && `${data.publisherName} · `}
          {data.publishTime ?? '尚未发布'}
        </span>
        {(data.startTime || data.endTime) && (
          <span>
            有效期 {data.startTime ?? '发布时'} 至 {data.endTime ?? '长期'}
          </span>
        )}
      </div>
      <div className="kit-hint kit-row">
        <span>
          {TARGETS[data.target]}：{data.targetCount} 个账号
        </span>
        {data.targets.map(({ id, name }) => (
          <Tag key={id}>{name}</Tag>
        ))}
      </div>
      <div className="notice-body">
        <RichText html={data.content} />
      </div>
      {data.attachments.map(({ id, name, size }) => (
        <Button key={id} type="link" onClick={() => void download(files.download, { id, download: '1' }, name)}>
          {name}（{formatBytes(size)}）
        </Button>
      ))}
    </article>
  )
}

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
