import { type ViewRow, views, ViewInput } from '@oms/contract/account/views.ts'
import { Form, Modal } from 'antd'
import { TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'

interface Props {
  /** The view to rename; undefined to save a new one. */
  readonly view: ViewRow | undefined
  readonly page: string
  readonly query: string
  readonly columns: string
  onSaved(id: number): void
  onClose(): void
}

/** Saves the present filters, order and columns as a view, or renames a view. */
export const SavedViewDialog = (props: Props) =>
  props.view ? <RenameForm view={props.view} onClose={props.onClose} /> : <SaveForm {...props} />

function SaveForm({ page, query, columns, onSaved, onClose }: Props) {
  const { modal, form } = useFormModal(views.create, {
    onClose,
    initial: { page, query, columns },
    onSaved: ({ id }) => onSaved(id),
  })
  return (
    <Modal title="另存为视图" {...modal}>
      <Form {...form}>
        <TextField of={ViewInput} name="name" hint="保存当前的筛选条件、排序和列设置" />
      </Form>
    </Modal>
  )
}

function RenameForm({ view, onClose }: { view: ViewRow; onClose(): void }) {
  const { modal, form } = useFormModal(views.update, { onClose, initial: view })
  return (
    <Modal title={`重命名视图「${view.name}」`} {...modal}>
      <Form {...form}>
        <TextField of={ViewInput} name="name" />
      </Form>
    </Modal>
  )
}
