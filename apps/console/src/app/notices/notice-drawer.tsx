import { SettingOutlined } from '@ant-design/icons'
import { inbox, NOTICE_TOPIC, NOTICE_TYPE } from '@oms/contract/system/notice.ts'
import { Button, Drawer, Segmented, Select, Space } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { type NoticeKind, NoticeList } from './notice-list.tsx'
import { NoticeSettings } from './notice-settings.tsx'
import { NoticeView } from './notice-view.tsx'
import { setUnreadCount, useUnreadCount } from './unread.ts'

type Which = 'unread' | 'all'

/** Drawer with the account's messages. Starts with the unread messages, and shows one message when it is chosen. */
export default function NoticeDrawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  const unread = useUnreadCount()
  const [which, setWhich] = useState<Which>('unread')
  const [chosen, setChosen] = useState<number | 'settings'>()
  const readAll = useWrite(inbox.readAll)
  const markAll = () => readAll.mutate({}, { onSuccess: ({ count }) => setUnreadCount(count) })
  return (
    <Drawer
      title={chosen === undefined ? '消息' : chosen === 'settings' ? '消息设置' : '消息详情'}
      open={open}
      onClose={onClose}
      size="min(440px, 100vw)"
      extra={
        chosen === undefined ? (
          <>
            <Button type="link" disabled={!unread} loading={readAll.isPending} onClick={markAll}>
              全部已读
            </Button>
            <Button
              type="text"
              icon={<SettingOutlined />}
              aria-label="消息设置"
              title="消息设置"
              onClick={() => setChosen('settings')}
            />
          </>
        ) : (
          <Button onClick={() => setChosen(undefined)}>返回</Button>
        )
      }
    >
      {chosen === undefined ? (
        <Messages which={which} unread={unread} shown={open} onWhich={setWhich} onChoose={setChosen} />
      ) : chosen === 'settings' ? (
        <NoticeSettings />
      ) : (
        <NoticeView id={chosen} />
      )}
    </Drawer>
  )
}

interface MessagesProps {
  readonly which: Which
  readonly unread: ReturnType<typeof useUnreadCount>
  readonly shown: boolean
  onWhich(which: Which): void
  onChoose(id: number): void
}

const TOPICS = Object.entries(NOTICE_TOPIC).map(([value, label]) => ({ value: value as NoticeKind, label }))

function Messages({ which, unread, shown, onWhich, onChoose }: MessagesProps) {
  const [kind, setKind] = useState<NoticeKind>('')
  const { label } = useDictLabels('sys_notice_type', NOTICE_TYPE)
  const kinds: { value: NoticeKind; label: string }[] = [
    { value: '', label: '全部类型' },
    { value: '1', label: label(1) },
    { value: '2', label: label(2) },
    ...TOPICS,
  ]
  return (
    <Space orientation="vertical" size={12} style={{ width: '100%' }}>
      <div className="notice-filter">
        <Segmented<Which>
          block
          value={which}
          onChange={onWhich}
          options={[
            { value: 'unread', label: `未读${unread ? ` ${unread}` : ''}` },
            { value: 'all', label: '全部' },
          ]}
        />
        <Select<NoticeKind> aria-label="消息类型" value={kind} onChange={setKind} options={kinds} />
      </div>
      <NoticeList
        key={`${which} ${kind}`}
        onlyUnread={which === 'unread'}
        kind={kind}
        shown={shown}
        onChoose={onChoose}
      />
    </Space>
  )
}
