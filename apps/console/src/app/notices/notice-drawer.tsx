import { inbox } from '@oms/contract/system/notice.ts'
import { Button, Drawer, Segmented, Space } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { NoticeList } from './notice-list.tsx'
import { NoticeView } from './notice-view.tsx'
import { setUnreadCount, useUnreadCount } from './unread.ts'

type Which = 'unread' | 'all'

/** Drawer with the account's messages. Starts with the unread messages, and shows one message when it is chosen. */
export default function NoticeDrawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  const unread = useUnreadCount()
  const [which, setWhich] = useState<Which>('unread')
  const [chosen, setChosen] = useState<number>()
  const readAll = useWrite(inbox.readAll)
  const markAll = () => readAll.mutate({}, { onSuccess: ({ count }) => setUnreadCount(count) })
  return (
    <Drawer
      title={chosen === undefined ? '消息' : '消息详情'}
      open={open}
      onClose={onClose}
      size="min(440px, 100vw)"
      extra={
        chosen === undefined ? (
          <Button type="link" disabled={!unread} loading={readAll.isPending} onClick={markAll}>
            全部已读
          </Button>
        ) : (
          <Button onClick={() => setChosen(undefined)}>返回</Button>
        )
      }
    >
      {chosen === undefined ? (
        <Messages which={which} unread={unread} shown={open} onWhich={setWhich} onChoose={setChosen} />
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

function Messages({ which, unread, shown, onWhich, onChoose }: MessagesProps) {
  return (
    <Space orientation="vertical" size={12} style={{ width: '100%' }}>
      <Segmented<Which>
        block
        value={which}
        onChange={onWhich}
        options={[
          { value: 'unread', label: `未读${unread ? ` ${unread}` : ''}` },
          { value: 'all', label: '全部' },
        ]}
      />
      <NoticeList key={which} onlyUnread={which === 'unread'} shown={shown} onChoose={onChoose} />
    </Space>
  )
}
