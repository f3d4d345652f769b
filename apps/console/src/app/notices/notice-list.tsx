import { inbox, NOTICE_TYPE } from '@oms/contract/notice.ts'
import { Tag } from 'antd'
import { call } from '#kernel/call.ts'
import { EndlessList, useEndless } from '#kit/endless-list.tsx'

interface Props {
  readonly onlyUnread: boolean
  readonly shown: boolean
  readonly onChoose: (id: number) => void
}

const TYPES: Readonly<Record<number, string>> = NOTICE_TYPE

/** Messages, newest first, more on demand. */
export function NoticeList({ onlyUnread, shown, onChoose }: Props) {
  const reading = useEndless({
    key: ['sys', 'inbox', onlyUnread],
    read: (page, signal) =>
      call(inbox.mine, { ...page, ...(onlyUnread && { read: 0 as const }) }, { signal, quiet: true }),
    enabled: shown,
  })
  return (
    <EndlessList reading={reading} empty={onlyUnread ? '没有未读消息' : '暂无消息'}>
      {(rows) => (
        <ul className="notice-list">
          {rows.map(({ noticeId, title, type, publishTime, publisherName, readTime }) => (
            <li key={noticeId}>
              <button type="button" className="notice" onClick={() => onChoose(noticeId)}>
                <span className={readTime ? 'notice-title' : 'notice-title notice-new'}>{title}</span>
                <span className="notice-about">
                  <Tag>{TYPES[type] ?? '消息'}</Tag>
                  {publisherName} · {publishTime}
                  {!readTime && <span className="sr-only">，未读</span>}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </EndlessList>
  )
}
