import { inbox, NOTICE_TOPIC, NOTICE_TYPE, type NoticeTopic } from '@oms/contract/system/notice.ts'
import { call } from '#core/api/client.ts'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { InfiniteList, useInfiniteList } from '#kit/list/infinite-list.tsx'
import { groupMessages, type Message } from './notice-groups.ts'

/** Filter of the messages: a type of notice, or a topic of system messages. */
export type NoticeKind = '' | '1' | '2' | NoticeTopic

interface Props {
  readonly onlyUnread: boolean
  readonly kind: NoticeKind
  readonly shown: boolean
  readonly onChoose: (id: number) => void
}

const filterOf = (kind: NoticeKind) =>
  kind === '' ? {} : kind === '1' || kind === '2' ? { type: Number(kind) as 1 | 2 } : { topic: kind }

/** Messages, newest first, as an infinite list. Messages of the same wording are grouped. */
export function NoticeList({ onlyUnread, kind, shown, onChoose }: Props) {
  const reading = useInfiniteList({
    key: ['sys', 'inbox', onlyUnread, kind],
    read: (page, signal) =>
      call(
        inbox.mine,
        { ...page, ...filterOf(kind), ...(onlyUnread && { read: 0 as const }) },
        { signal, quiet: true },
      ),
    enabled: shown,
  })
  return (
    <InfiniteList reading={reading} empty={onlyUnread ? '没有未读消息' : '暂无消息'}>
      {(rows) => (
        <ul className="notice-list">
          {groupMessages(rows).map((group) => (
            <li key={group[0]?.noticeId}>
              <NoticeGroup group={group} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
    </InfiniteList>
  )
}

function NoticeGroup({ group, onChoose }: { group: readonly Message[]; onChoose(id: number): void }) {
  const [first] = group
  if (first && group.length === 1) return <NoticeButton message={first} onChoose={onChoose} />
  return (
    <details>
      <summary className="notice">
        <span className={group.some(({ readTime }) => !readTime) ? 'notice-title notice-new' : 'notice-title'}>
          {first?.title}
        </span>
        <span className="notice-about">
          {first && <TopicName message={first} />}等 {group.length} 条 · {first?.publishTime}
        </span>
      </summary>
      <ul className="notice-list notice-group">
        {group.map((message) => (
          <li key={message.noticeId}>
            <NoticeButton message={message} onChoose={onChoose} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function NoticeButton({ message, onChoose }: { message: Message; onChoose(id: number): void }) {
  const { noticeId, title, publishTime, publisherName, readTime } = message
  return (
    <button type="button" className="notice" onClick={() => onChoose(noticeId)}>
      <span className={readTime ? 'notice-title' : 'notice-title notice-new'}>{title}</span>
      <span className="notice-about">
        <TopicName message={message} />
        {publisherName} · {publishTime}
        {!readTime && <span className="sr-only">，未读</span>}
      </span>
    </button>
  )
}

/** Name of the topic of a system message, or of the type of a notice. */
const TopicName = ({ message: { type, topic } }: { message: Message }) =>
  topic in NOTICE_TOPIC ? (
    <span>{NOTICE_TOPIC[topic as NoticeTopic]} · </span>
  ) : (
    <DictLabelTag type="sys_notice_type" words={NOTICE_TYPE} value={type} />
  )
