import { feedback } from '@oms/contract/ticket/ticket.ts'
import { FEEDBACK_CLOSED } from '@oms/contract/ticket/ticket-rows.ts'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useCan, useSession } from '#core/auth/session.tsx'
import { Panel } from '#kit/record/page.tsx'
import { DisposeForm } from './dispose-form.tsx'
import { Checklists } from './checklists.tsx'
import type { TicketInfo } from '../ticket-head.tsx'

/** Returns true when the account may submit: it has the permission, and the ticket is unassigned or assigned to it. */
function useMayConfirm({ handlerId, mergedInto }: TicketInfo) {
  const uid = Number(useSession()?.uid)
  const can = useCan()
  return can(feedback.dispose.access) && (!handlerId || handlerId === uid) && mergedInto === null
}

/**
 * Processing form for accounts that may handle the ticket; other accounts see the checklists read-only. While the user
 * types, the form keeps the version that it was opened with. A change by another user is shown as a notice and never
 * replaces typed text.
 */
export function DisposePanel({ info, onTyping }: { info: TicketInfo; onTyping(typing: boolean): void }) {
  const [base, setBase] = useState(info)
  const [dirty, setDirty] = useState(false)
  const mayConfirm = useMayConfirm(info)
  const behind = base.version !== info.version
  if (behind && !dirty) setBase(info)
  const typed = (next: boolean) => {
    setDirty(next)
    onTyping(next)
  }
  if (!mayConfirm) return <ChecklistsPanel info={info} />
  return (
    <Panel title={info.status === FEEDBACK_CLOSED ? '重新打开' : '处理工单'}>
      {behind && dirty && (
        <Alert
          type="warning"
          showIcon
          className="ticket-behind"
          title="该工单刚被他人更新，提交前请加载最新内容"
          action={
            <Button
              size="small"
              onClick={() => {
                typed(false)
                setBase(info)
              }}
            >
              加载最新
            </Button>
          }
        />
      )}
      <DisposeForm key={base.version} info={base} onDirty={typed} />
    </Panel>
  )
}

/** Shows the checklists read-only. */
function ChecklistsPanel({ info }: { info: TicketInfo }) {
  return (
    <Panel title="问题分类">
      <Checklists value={info.problemAttr} disabled />
      <p className="ticket-muted">
        {info.handlerId ? `该工单由 ${info.handler} 处理，您可以查看。` : '您没有处理工单的权限，可以查看。'}
      </p>
    </Panel>
  )
}
