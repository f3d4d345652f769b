import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { Allowed } from '#kernel/session.tsx'
import type { Picked } from './data-table.tsx'

interface Props<Row> {
  readonly label: string
  readonly to: Endpoint
  readonly picked: Picked<Row>
  onMove(rows: readonly Row[]): Promise<unknown>
}

/** A button of the batch bar that moves all picked rows in one call. Busy by itself: a single row on its way must not swallow its press. */
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
