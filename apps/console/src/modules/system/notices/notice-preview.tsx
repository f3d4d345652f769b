import { files } from '@oms/contract/system/file.ts'
import { NOTICE_TARGET, notices } from '@oms/contract/system/notice.ts'
import { Button, Tabs, Tag } from 'antd'
import { download } from '#core/api/download.ts'
import { formatBytes } from '#core/text/format.ts'
import { useRead } from '#core/api/query.ts'
import { RichText } from '#core/text/rich-text.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { type Notice, NoticePriority, NoticeStatus, NoticeType } from './notice-status.tsx'
import './notice.css'

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
