import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { files } from '@oms/contract/system/file.ts'
import { inbox } from '@oms/contract/system/notice.ts'
import { Button } from 'antd'
import { useEffect, useEffectEvent } from 'react'
import { download } from '#core/api/download.ts'
import { formatBytes } from '#core/text/format.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import { RichText } from '#core/text/rich-text.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { setUnreadCount } from './unread.ts'

/** Renders one message and marks it as read. A message that requires confirmation has a button. */
export function NoticeView({ id }: { id: number }) {
  const { data, error, refetch } = useRead(inbox.view, { id }, { keepPrevious: false, quiet: true })
  const read = useWrite(inbox.read)
  const mark = useEffectEvent(() => read.mutate({ id }, { onSuccess: ({ count }) => setUnreadCount(count) }))
  // Separate mutation, so that the button works while the message is being marked as read.
  const confirm = useWrite(inbox.read)
  const unseen = data !== undefined && data.readTime === null
  useEffect(() => {
    if (unseen) mark()
  }, [unseen])
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return (
    <article>
      <h2 className="notice-heading">{data.title}</h2>
      <p className="notice-about">
        {data.publisherName} · {data.publishTime}
      </p>
      <RichText html={data.content} />
      {data.attachments.map((file) => (
        <Attachment key={file.id} file={file} />
      ))}
      {data.needConfirm === 1 && (
        <Button
          type="primary"
          block
          style={{ marginTop: 24 }}
          disabled={data.confirmTime !== null}
          loading={confirm.isPending}
          onClick={() => confirm.mutate({ id, confirm: 1 }, { onSuccess: ({ count }) => setUnreadCount(count) })}
        >
          {data.confirmTime ? `已于 ${data.confirmTime} 确认` : '确认收到'}
        </Button>
      )}
    </article>
  )
}

function Attachment({ file: { id, name, size } }: { file: ResultOf<typeof inbox.view>['attachments'][number] }) {
  return (
    <Button
      type="link"
      style={{ paddingInline: 0 }}
      onClick={() => void download(files.download, { id, download: '1' }, name)}
    >
      {name}（{formatBytes(size)}）
    </Button>
  )
}
