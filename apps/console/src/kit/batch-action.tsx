import type { Endpoint, InputOf } from '@oms/contract/kernel/endpoint.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { later } from '#kernel/later.tsx'
import { Allowed } from '#kernel/session.tsx'
import type { Picked } from './data-table.tsx'

const BatchDialog = later(() => import('./batch-dialog.tsx'), 'BatchDialog')

export interface BatchActionProps<Row, E extends Endpoint> {
  /** What the button and the question say: 停用, 删除. */
  label: string
  to: E
  picked: Picked<Row>
  input(row: Row): InputOf<E>
  /** How the result calls a row. */
  nameOf(row: Row): string
  danger?: true
}

/** A button of the batch bar: asks once, calls the endpoint for each row, and reports row by row what failed and why. */
export function BatchAction<Row, E extends Endpoint>(props: BatchActionProps<Row, E>) {
  const [open, setOpen] = useState(false)
  const { label, to, picked, danger } = props
  return (
    <Allowed to={to}>
      <Button size="small" danger={danger === true} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && picked.rows.length > 0 && <BatchDialog {...props} onClose={() => setOpen(false)} />}
    </Allowed>
  )
}
