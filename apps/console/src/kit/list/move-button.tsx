import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { Allowed } from '#core/auth/session.tsx'
import type { Picked } from '#kit/table/data-table.tsx'

interface Props<Row> {
  readonly label: string
  readonly to: Endpoint
  readonly picked: Picked<Row>
  onMove(rows: readonly Row[]): Promise<unknown>
}

/**
 * Batch bar button that moves all selected rows in one call. The button has its own loading state, apart from the
 * actions of single rows.
 */
export function MoveButton<Row>({ label, to, picked, onMove }: Props<Row>) {
  const [busy, setBusy] = useState(false)
  const move = async () => {
    setBusy(true)
    await onMove(picked.rows).then(picked.clear, () => {})
    setBusy(false)
  }
  return (
    <Allowed to={to}>
      <Button size="small" type="primary" loading={busy} onClick={() => void move()}>
        {label}
      </Button>
    </Allowed>
  )
}
