import { feedback } from '@oms/contract/ticket/ticket.ts'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed } from '#core/auth/session.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import type { Picked } from '#kit/table/data-table.tsx'
import type { BatchKind } from './handling/batch-forms.tsx'
import type { Ticket } from './ticket-columns.tsx'

const BatchForm = lazyAfterRender(() => import('./handling/batch-forms.tsx'), 'BatchForm')

const ACTIONS = [
  ['assign', '分派', feedback.assign],
  ['priority', '优先级', feedback.priority],
  ['tags', '标签', feedback.tags],
  ['suspend', '挂起', feedback.suspend],
  ['close', '关闭', feedback.close],
  ['merge', '合并', feedback.merge],
] as const satisfies readonly (readonly [BatchKind, string, { access: string }])[]

/** Returns the reason why the tickets cannot be merged. */
function findMergeProblem(rows: readonly Ticket[]) {
  if (rows.length < 2) return '请至少选择两个工单'
  return new Set(rows.map(({ tenantId }) => tenantId)).size > 1 ? '不能合并不同客户的工单' : undefined
}

/** Batch actions for the selected tickets. */
export function TicketBatch({ picked }: { picked: Picked<Ticket> }) {
  const [open, setOpen] = useState<BatchKind>()
  return (
    <>
      {ACTIONS.map(([kind, label, to]) => (
        <Allowed key={kind} to={to}>
          <ReasonedButton
            size="small"
            reason={kind === 'merge' ? findMergeProblem(picked.rows) : undefined}
            onClick={() => setOpen(kind)}
          >
            {label}
          </ReasonedButton>
        </Allowed>
      ))}
      {open && <BatchForm kind={open} rows={picked.rows} onClose={() => setOpen(undefined)} onDone={picked.clear} />}
    </>
  )
}
