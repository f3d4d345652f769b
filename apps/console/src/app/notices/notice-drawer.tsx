import { inbox } from '@oms/contract/notice.ts'
import { Button, Drawer, Segmented, Space } from 'antd'
import { useState } from 'react'
import { useWrite } from '#kernel/query.ts'
import { NoticeList } from './notice-list.tsx'
import { NoticeView } from './notice-view.tsx'
import { setUnread, useUnread } from './unread.ts'

type Which = 'unread' | 'all'

/** One's own messages: unread first, one opened at a time. */
export default function NoticeDrawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  const unread = useUnread()
  const [which, setWhich] = useState<Which>('unread')
  const [chosen, setChosen] = useState<number>()
  const readAll = useWrite(inbox.readAll)
  const markAll = () => readAll.mutate({}, { onSuccess: ({ count }) => setUnread(count) })
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
        <Space orientation="vertical" size={12} style={{ width: '100%' }}>
          <Segmented<Which>
            block
            value={which}
            onChange={setWhich}
            options={[
              { value: 'unread', label: `未读${unread ? ` ${unread}` : ''}` },
              { value: 'all', label: '全部' },
            ]}
          />
          <NoticeList key={which} onlyUnread={which === 'unread'} shown={open} onChoose={setChosen} />
        </Space>
      ) : (
        <NoticeView id={chosen} />
      )}
    </Drawer>
  )
}
