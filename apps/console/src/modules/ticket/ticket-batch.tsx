import { feedback } from '@oms/contract/ticket/ticket.ts'
import { Button, Tooltip } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed } from '#core/auth/session.tsx'
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

/** Batch actions for the selected tickets. */
export function TicketBatch({ picked }: { picked: Picked<Ticket> }) {
  const [open, setOpen] = useState<BatchKind>()
  const hasTenants = new Set(picked.rows.map(({ tenantId }) => tenantId)).size > 1
  return (
    <>
      {ACTIONS.map(([kind, label, to]) => (
        <Allowed key={kind} to={to}>
          <Tooltip title={kind === 'merge' && hasTenants ? '不能合并不同客户的工单' : undefined}>
            <Button
              size="small"
              disabled={kind === 'merge' && (hasTenants || picked.rows.length < 2)}
              onClick={() => setOpen(kind)}
            >
              {label}
            </Button>
          </Tooltip>
        </Allowed>
      ))}
      {open && <BatchForm kind={open} rows={picked.rows} onClose={() => setOpen(undefined)} onDone={picked.clear} />}
    </>
  )
}
