import { files } from '@oms/contract/file.ts'
import { inbox } from '@oms/contract/notice.ts'
import { Button } from 'antd'
import { useEffect, useEffectEvent } from 'react'
import { download } from '#kernel/download.ts'
import { formatBytes } from '#kernel/format.ts'
import { useRead, useWrite } from '#kernel/query.ts'
import { RichText } from '#kernel/rich-text.tsx'
import { Waiting } from '#kit/waiting.tsx'
import { setUnread } from './unread.ts'

/** One message. Being shown marks it as read; one that asks for it also has a button to confirm. */
export function NoticeView({ id }: { id: number }) {
  const { data, error, refetch } = useRead(inbox.view, { id }, { keepPrevious: false, quiet: true })
  const read = useWrite(inbox.read)
  const mark = useEffectEvent(() => read.mutate({ id }, { onSuccess: ({ count }) => setUnread(count) }))
  // Of its own: while the mark above is on its way the button takes a press already.
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
      {data.attachments.map(({ id: file, name, size }) => (
        <Button
          key={file}
          type="link"
          style={{ paddingInline: 0 }}
          onClick={() => void download(files.download, { id: file, download: '1' }, name)}
        >
          {name}（{formatBytes(size)}）
        </Button>
      ))}
      {data.needConfirm === 1 && (
        <Button
          type="primary"
          block
          style={{ marginTop: 24 }}
          disabled={data.confirmTime !== null}
          loading={confirm.isPending}
          onClick={() => confirm.mutate({ id, confirm: 1 }, { onSuccess: ({ count }) => setUnread(count) })}
        >
          {data.confirmTime ? `已于 ${data.confirmTime} 确认` : '确认收到'}
        </Button>
      )}
    </article>
  )
}
