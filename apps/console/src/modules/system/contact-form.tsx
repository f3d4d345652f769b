import { about, ContactInput } from '@oms/contract/system/about.ts'
import { Form, Modal } from 'antd'
import { call } from '#core/api/client.ts'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type { BuildFacts } from './about.page.tsx'

/** Edits the contact texts of the about page. */
export function ContactForm({ onClose }: { onClose(): void }) {
  return (
    <FreshRecord read={readContact} title="编辑联系方式" onClose={onClose}>
      {(contact) => <EditForm contact={contact} onClose={onClose} />}
    </FreshRecord>
  )
}

const readContact = async () => (await call(about.facts, {}, { quiet: true })).contact

function EditForm({ contact, onClose }: { contact: BuildFacts['contact']; onClose(): void }) {
  const latest = readContact
  const { modal, form } = useFormModal(about.update, { onClose, initial: contact, latest })
  return (
    <Modal title="编辑联系方式" {...modal}>
      <Form {...form}>
        <TextField of={ContactInput} name="company" />
        <TextField of={ContactInput} name="phone" />
        <TextField of={ContactInput} name="email" />
        <TextField of={ContactInput} name="website" hint="以 http:// 或 https:// 开头" />
        <TextField of={ContactInput} name="address" />
        <NoteField of={ContactInput} name="intro" rows={4} />
      </Form>
    </Modal>
  )
}
