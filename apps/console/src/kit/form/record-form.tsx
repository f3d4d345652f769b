import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { Form, Modal } from 'antd'
import type { ReactNode } from 'react'
import { call, readFresh } from '#core/api/client.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { FreshRecord } from './fresh-record.tsx'
import { useFormModal } from './use-form-modal.ts'

interface RecordCalls {
  readonly get: Endpoint
  readonly create: Endpoint
  readonly update: Endpoint
}

export interface RecordFormProps<C extends RecordCalls> extends Pick<CreateFormProps, 'onClose'> {
  readonly calls: C
  /** Chinese name of the record: `备件`. */
  readonly noun: string
  /** The edited row, or `new`. */
  readonly row: (ResultOf<C['get']> & { readonly id: number }) | 'new'
  /** Name of a saved record, in the title and in the select that created it. */
  nameOf(record: InputOf<C['create']> | ResultOf<C['get']>): string
  /** Initial values of a new record. */
  readonly initial?: Partial<InputOf<C['create']>>
  /** Converts a row to form values when they differ. */
  readonly toForm?: (row: ResultOf<C['get']>) => object
  /** Called with the id and the name of the created record, for a select that opened the form. */
  readonly onCreated?: CreateFormProps['onCreated'] | undefined
  /** Fields of the form; the row is undefined for a new record. */
  children(row: ResultOf<C['get']> | undefined): ReactNode
}

/** Dialog that creates a record, or reloads and edits a record. */
export function RecordForm<C extends RecordCalls>(props: RecordFormProps<C>) {
  const { calls, noun, row, onClose } = props
  if (row === 'new') return <AddForm {...props} />
  const read = () => readFresh(calls.get, { id: row.id } as InputOf<C['get']>, row)
  return (
    <FreshRecord of={row.id} read={read} title={`编辑${noun}`} onClose={onClose}>
      {(fresh) => <EditForm {...props} fresh={fresh as ResultOf<C['get']>} />}
    </FreshRecord>
  )
}

function AddForm<C extends RecordCalls>({ calls, noun, initial, nameOf, onClose, ...props }: RecordFormProps<C>) {
  const { modal, form } = useFormModal(calls.create, {
    onClose,
    initial,
    onSaved: (saved, input) =>
      props.onCreated?.({ id: (saved as { id: number }).id, name: nameOf(input as InputOf<C['create']>) }),
  })
  return (
    <Modal title={`新增${noun}`} {...modal}>
      <Form {...form}>{props.children(undefined)}</Form>
    </Modal>
  )
}

type EditProps<C extends RecordCalls> = RecordFormProps<C> & { fresh: ResultOf<C['get']> }

function EditForm<C extends RecordCalls>({ calls, noun, fresh, nameOf, toForm, onClose, ...props }: EditProps<C>) {
  const valuesOf = (record: ResultOf<C['get']>) => toForm?.(record) ?? (record as object)
  const { id } = fresh as { id: number }
  const { modal, form } = useFormModal(calls.update, {
    onClose,
    initial: valuesOf(fresh),
    latest: async () => valuesOf(await call(calls.get as C['get'], { id } as InputOf<C['get']>)),
  })
  return (
    <Modal title={`编辑${noun}「${nameOf(fresh)}」`} {...modal}>
      <Form {...form}>{props.children(fresh)}</Form>
    </Modal>
  )
}
