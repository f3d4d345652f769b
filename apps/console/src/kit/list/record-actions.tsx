import { PlusOutlined } from '@ant-design/icons'
import type { Endpoint, InputOf } from '@oms/contract/core/endpoint.ts'
import { ENABLED_LABELS } from '@oms/contract/core/status-labels.ts'
import { Button } from 'antd'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import type { Picked } from '#kit/table/data-table.tsx'
import { BatchAction } from './batch-action.tsx'
import { type RowAction, RowActions } from './row-actions.tsx'

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

interface BatchProps<Row> {
  picked: Picked<Row>
  nameOf(row: Row): string
}
interface Effects {
  /** States what disabling does to the selected records. */
  readonly disableEffect: string
}
interface Switches {
  readonly enable: Endpoint
  readonly disable: Endpoint
}

/** Returns a function that builds the action of a row: enable or disable. The enable call declares the labels. */
export function useStatusAction(calls: Switches) {
  const enable = useWrite(calls.enable)
  const disable = useWrite(calls.disable)
  const labels = calls.enable.statusLabels ?? ENABLED_LABELS
  return ({ id, on, name, warning, reason }: StatusOfRow): RowAction =>
    on
      ? {
          label: labels.disable,
          to: calls.disable,
          reason,
          confirm: `${labels.disable}${name}？${warning}`,
          onClick: () => disable.mutateAsync({ id } as InputOf<Endpoint>),
        }
      : {
          label: labels.enable,
          to: calls.enable,
          reason,
          onClick: () => enable.mutateAsync({ id } as InputOf<Endpoint>),
        }
}
interface StatusOfRow extends Identified {
  readonly on: boolean
  /** Kind and label of the record: `广告「春节」`. */
  readonly name: string
  /** Effect of disabling, shown in the confirmation. */
  readonly warning: string
  /** Reason why the action is disabled. Absent: the action is enabled. */
  readonly reason?: string | undefined
}

/** Enables or disables the selected rows; the buttons show the labels that the calls declare. */
export function StatusBatch<Row>({
  calls,
  disableEffect,
  ...each
}: BatchProps<Row> & Effects & { calls: Switches; input(row: Row): { id: number } }) {
  const labels = calls.enable.statusLabels ?? ENABLED_LABELS
  return (
    <>
      <BatchAction label={labels.enable} to={calls.enable} {...each} />
      <BatchAction label={labels.disable} to={calls.disable} {...each} danger effect={disableEffect} />
    </>
  )
}

/** Enables, disables or deletes the selected rows. */
export function RecordBatch<Row extends Identified>({
  calls,
  disableEffect,
  removeEffect,
  ...batch
}: BatchProps<Row> & Effects & { removeEffect: string; calls: Switches & { readonly remove: Endpoint } }) {
  const each = { ...batch, input: ({ id }: Row) => ({ id }) }
  return (
    <>
      <StatusBatch calls={calls} disableEffect={disableEffect} {...each} />
      <BatchAction label="删除" to={calls.remove} {...each} danger effect={removeEffect} />
    </>
  )
}
