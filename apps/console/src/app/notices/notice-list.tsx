import { inbox, NOTICE_TYPE } from '@oms/contract/system/notice.ts'
import { call } from '#core/api/client.ts'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { InfiniteList, useInfiniteList } from '#kit/list/infinite-list.tsx'

interface Props {
  readonly onlyUnread: boolean
  readonly shown: boolean
  readonly onChoose: (id: number) => void
}

/** Messages, newest first, as an infinite list. */
export function NoticeList({ onlyUnread, shown, onChoose }: Props) {
  const reading = useInfiniteList({
    key: ['sys', 'inbox', onlyUnread],
    read: (page, signal) =>
      call(inbox.mine, { ...page, ...(onlyUnread && { read: 0 as const }) }, { signal, quiet: true }),
    enabled: shown,
  })
  return (
    <InfiniteList reading={reading} empty={onlyUnread ? '没有未读消息' : '暂无消息'}>
      {(rows) => (
        <ul className="notice-list">
          {rows.map(({ noticeId, title, type, publishTime, publisherName, readTime }) => (
            <li key={noticeId}>
              <button type="button" className="notice" onClick={() => onChoose(noticeId)}>
                <span className={readTime ? 'notice-title' : 'notice-title notice-new'}>{title}</span>
                <span className="notice-about">
                  <DictLabelTag type="sys_notice_type" words={NOTICE_TYPE} value={type} />
                  {publisherName} · {publishTime}
                  {!readTime && <span className="sr-only">，未读</span>}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </InfiniteList>
  )
}
