import { feedback } from '@oms/contract/ticket/ticket.ts'
import { FEEDBACK_CLOSED } from '@oms/contract/ticket/ticket-rows.ts'
import { useState } from 'react'
import { useCan, useSession } from '#core/auth/session.tsx'
import { Panel } from '#kit/record/page.tsx'
import { DisposeForm } from './dispose-form.tsx'
import { ChosenProblems } from './checklists.tsx'
import type { TicketInfo } from '../ticket-head.tsx'

/** Returns true when the account may submit: it has the permission, and the ticket is unassigned or assigned to it. */
function useMayConfirm({ handlerId, mergedInto }: TicketInfo) {
  const uid = Number(useSession()?.uid)
  const can = useCan()
  return can(feedback.dispose.access) && (!handlerId || handlerId === uid) && mergedInto === null
}

/**
 * Processing form for accounts that may handle the ticket; other accounts see the chosen problem categories. The form stays
 * while it contains typed values, also when another account takes over the ticket.
 */
export function DisposePanel({ info, onTyping }: { info: TicketInfo; onTyping(typing: boolean): void }) {
  const [dirty, setDirty] = useState(false)
  const mayConfirm = useMayConfirm(info)
  const typed = (next: boolean) => {
    setDirty(next)
    onTyping(next)
  }
  if (!mayConfirm && !dirty) return <ChecklistsPanel info={info} />
  return (
    <Panel title={info.status === FEEDBACK_CLOSED ? '重新打开' : '处理工单'}>
      <DisposeForm info={info} refused={mayConfirm ? undefined : formatHandling(info)} onDirty={typed} />
    </Panel>
  )
}

/** Returns the reason why the account cannot handle the ticket. */
const formatHandling = ({ handlerId, handler, mergedInto }: TicketInfo) =>
  mergedInto ? '该工单已合并到其他工单' : handlerId ? `该工单由 ${handler} 处理` : '您没有处理工单的权限'

/** Shows the chosen problem categories read-only. */
function ChecklistsPanel({ info }: { info: TicketInfo }) {
  return (
    <Panel title="问题分类">
      <ChosenProblems value={info.problemAttr} />
      <p className="kit-muted">{formatHandling(info)}，您可以查看。</p>
    </Panel>
  )
}
