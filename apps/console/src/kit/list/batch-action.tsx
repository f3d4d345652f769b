import type { Endpoint, InputOf } from '@oms/contract/core/endpoint.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed } from '#core/auth/session.tsx'
import type { Picked } from '#kit/table/data-table.tsx'

const BatchDialog = lazyAfterRender(() => import('./batch-dialog.tsx'), 'BatchDialog')

interface BaseProps<Row, E extends Endpoint> {
  /** Label of button and confirmation: 停用, 删除. */
  label: string
  to: E
  picked: Picked<Row>
  input(row: Row): InputOf<E>
  /** Label of a row in the result. */
  nameOf(row: Row): string
}
/** The confirmation of a dangerous action states its effect. */
export type BatchActionProps<Row, E extends Endpoint> = BaseProps<Row, E> &
  ({ danger?: undefined; effect?: string } | { danger: true; effect: string })

/** Batch bar button: confirms once, calls the endpoint for each row, and reports the error of each failed row. */
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
