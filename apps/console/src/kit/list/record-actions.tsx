import { PlusOutlined } from '@ant-design/icons'
import type { Endpoint, InputOf } from '@oms/contract/core/endpoint.ts'
import { Button } from 'antd'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import type { Picked } from '#kit/table/data-table.tsx'
import { BatchAction } from './batch-action.tsx'
import { RowActions } from './row-actions.tsx'

interface Named<Row> {
  /** Chinese name of the record: `备件`. */
  readonly noun: string
  /** Label of a row in confirmations and results. */
  nameOf(row: Row): string
}
type Identified = { readonly id: number }

/** Button above a list that adds a record; hidden without the permission. */
export const AddButton = ({ to, noun, onAdd }: { to: Endpoint; noun: string; onAdd(): void }) => (
  <Allowed to={to}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
      新增{noun}
    </Button>
  </Allowed>
)

/** Returns a function that renders 编辑 and 删除 of a row. */
export function useRecordActions<Row extends Identified>(
  calls: { readonly update: Endpoint; readonly remove: Endpoint },
  { noun, nameOf, onEdit }: Named<Row> & { onEdit(row: Row): void },
) {
  const remove = useWrite(calls.remove)
  return (row: Row) => (
    <RowActions
      items={[
        { label: '编辑', to: calls.update, onClick: () => onEdit(row) },
        {
          label: '删除',
          to: calls.remove,
          danger: true,
          confirm: `删除${noun}「${nameOf(row)}」？`,
          onClick: () => remove.mutateAsync({ id: row.id } as InputOf<Endpoint>),
        },
      ]}
    />
  )
}

/** Enables, disables or deletes the selected rows. */
export function RecordBatch<Row extends Identified>(props: {
  calls: { readonly enable: Endpoint; readonly disable: Endpoint; readonly remove: Endpoint }
  picked: Picked<Row>
  nameOf(row: Row): string
}) {
  const { calls, picked, nameOf } = props
  const each = { picked, nameOf, input: ({ id }: Row) => ({ id }) }
  return (
    <>
      <BatchAction label="启用" to={calls.enable} {...each} />
      <BatchAction label="停用" to={calls.disable} {...each} danger />
      <BatchAction label="删除" to={calls.remove} {...each} danger />
    </>
  )
}
