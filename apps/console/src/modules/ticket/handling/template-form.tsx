import { ticketDesk, ReplyTemplateInput, type ReplyTemplateRow } from '@oms/contract/ticket/ticket-desk.ts'
import { Form, Modal } from 'antd'
import type * as z from 'zod'
import { call, ApiError } from '#core/api/client.ts'
import { NoteField, NumberField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'

type Template = z.output<typeof ReplyTemplateRow>

/** Creates a remark template. */
export function TemplateAddForm({ onClose }: { onClose(): void }) {
  const { modal, form } = useFormModal(ticketDesk.addTemplate, { onClose, initial: { sort: 0 } })
  return (
    <Modal title="新增模板" {...modal}>
      <Form {...form}>
        <Fields />
      </Form>
    </Modal>
  )
}

/** Edits a remark template. */
export function TemplateEditForm({ id, onClose }: { id: number; onClose(): void }) {
  return (
    <FreshRecord of={id} read={() => readTemplate(id)} title="编辑模板" onClose={onClose}>
      {(row) => <EditForm row={row} onClose={onClose} />}
    </FreshRecord>
  )
}

/** Loads one template; the list is the only call that returns the revision. */
async function readTemplate(id: number) {
  const templates = await call(ticketDesk.templates, {}, { quiet: true })
  return templates.find((each) => each.id === id) ?? Promise.reject(new ApiError(404, '该模板不存在或已被删除'))
}

function EditForm({ row, onClose }: { row: Template; onClose(): void }) {
  const latest = () => readTemplate(row.id)
  const { modal, form } = useFormModal(ticketDesk.updateTemplate, { onClose, initial: row, latest })
  return (
    <Modal title="编辑模板" {...modal}>
      <Form {...form}>
        <Fields />
      </Form>
    </Modal>
  )
}

const Fields = () => (
  <>
    <TextField of={ReplyTemplateInput} name="title" />
    <NoteField of={ReplyTemplateInput} name="content" rows={4} />
    <NumberField of={ReplyTemplateInput} name="sort" />
  </>
)
