import { DownOutlined } from '@ant-design/icons'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { Button, Dropdown } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useCan } from '#core/auth/session.tsx'
import type { BatchKind } from './handling/batch-forms.tsx'
import type { TicketInfo } from './ticket-head.tsx'

const BatchForm = lazyAfterRender(() => import('./handling/batch-forms.tsx'), 'BatchForm')
const RateForm = lazyAfterRender(() => import('./handling/rate-form.tsx'), 'RateForm')

/** Actions of a ticket except processing. */
export function TicketActions({ info }: { info: TicketInfo }) {
  const can = useCan()
  const [open, setOpen] = useState<BatchKind | 'rate'>()
  const closed = info.status === 5
  const items = [
    { key: 'assign', label: '分派', to: feedback.assign, off: closed },
    { key: 'priority', label: '调整优先级', to: feedback.priority, off: false },
    { key: 'tags', label: '修改标签', to: feedback.tags, off: false },
    { key: 'merge', label: '合并到其他工单', to: feedback.merge, off: info.mergedInto !== null },
    { key: 'rate', label: '记录满意度', to: feedback.rate, off: !closed },
  ] as const
  const offered = items.filter(({ to, off }) => !off && can(to.access))
  if (offered.length === 0) return null
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{ items: offered.map(({ key, label }) => ({ key, label, onClick: () => setOpen(key) })) }}
      >
        <Button icon={<DownOutlined />} iconPlacement="end">
          更多操作
        </Button>
      </Dropdown>
      {open === 'rate' && <RateForm info={info} onClose={() => setOpen(undefined)} />}
      {open && open !== 'rate' && <BatchForm kind={open} rows={[info]} onClose={() => setOpen(undefined)} />}
    </>
  )
}
