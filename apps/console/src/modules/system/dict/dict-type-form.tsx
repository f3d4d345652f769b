import { DictTypeInput, dictTypes } from '@oms/contract/system/dict-type.ts'
import { Form, Modal } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { NoteField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type { DictType } from './dict-type-list.page.tsx'

const NEW = { status: 1 }

/** Creates a dictionary. */
export function DictTypeAddForm({ onClose }: { onClose(): void }) {
  const { modal, form } = useFormModal(dictTypes.create, { onClose, initial: NEW })
  return (
    <Modal title="新增字典" {...modal}>
      <Form {...form}>
        <Fields builtin={false} />
      </Form>
    </Modal>
  )
}

/** Edits a dictionary; a shipped dictionary keeps its type. */
export function DictTypeEditForm({ row, onClose }: { row: DictType; onClose(): void }) {
  const read = () => readFresh(dictTypes.get, { id: row.dictId }, row)
  return (
    <FreshRecord of={row.dictId} read={read} title="编辑字典" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: DictType; onClose(): void }) {
  const latest = () => call(dictTypes.get, { id: row.dictId })
  const { modal, form } = useFormModal(dictTypes.update, { onClose, initial: row, latest })
  return (
    <Modal title={`编辑字典「${row.dictName}」`} {...modal}>
      <Form {...form}>
        <Fields builtin={row.isBuiltin === 1} />
      </Form>
    </Modal>
  )
}

function Fields({ builtin }: { builtin: boolean }) {
  return (
    <>
      <TextField of={DictTypeInput} name="dictName" />
      <TextField
        of={DictTypeInput}
        name="dictType"
        disabled={builtin}
        hint={builtin ? '内置字典的类型由程序使用，不能修改' : '小写字母开头，只含小写字母、数字和下划线'}
      />
      <SwitchField of={DictTypeInput} name="status" />
      <NoteField of={DictTypeInput} name="remark" rows={3} />
    </>
  )
}
