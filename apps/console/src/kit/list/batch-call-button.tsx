import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { type ReactNode, useState } from 'react'
import { Allowed } from '#core/auth/session.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import type { Picked } from '#kit/table/data-table.tsx'

/** Confirmation of a batch: the title names the count, the content states the effect. */
interface Confirmation {
  readonly title: string
  readonly content: ReactNode
  readonly okText: string
  readonly cancelText?: string
  /** True for an action that removes, cancels or ends something. */
  readonly danger?: true
}

interface Props<Row> {
  readonly label: string
  readonly to: Endpoint
  readonly picked: Picked<Row>
  /** The selected rows that the call applies to. Default: all selected rows. */
  readonly rows?: readonly Row[]
  /** Disables the button and says why. */
  readonly reason?: string | undefined
  /** Asks before the call. Only an action with a confirmation can be dangerous. */
  readonly confirm?: Confirmation | undefined
  onCall(rows: readonly Row[]): Promise<unknown>
}

/**
 * Batch bar button that sends all selected rows in one call. Its loading state is separate from those of single rows.
 */
export function BatchCallButton<Row>(props: Props<Row>) {
  const { label, to, picked, rows = picked.rows, reason, confirm, onCall } = props
  const danger = confirm?.danger === true
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    await onCall(rows).then(picked.clear, () => {})
    setBusy(false)
  }
  const ask = () => {
    if (!confirm) return void run()
    const { danger: _, ...texts } = confirm
    dialogs.confirm({ ...texts, okButtonProps: { danger }, onOk: run })
  }
  return (
    <Allowed to={to}>
      <ReasonedButton size="small" type="primary" danger={danger} loading={busy} reason={reason} onClick={ask}>
        {label}
      </ReasonedButton>
    </Allowed>
  )
}
