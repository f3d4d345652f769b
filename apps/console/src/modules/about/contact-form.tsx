import { about, ContactInput } from '@oms/contract/about.ts'
import { Form, Modal } from 'antd'
import { call } from '#kernel/call.ts'
import { NoteField, TextField } from '#kit/field.tsx'
import { useFormModal } from '#kit/use-form-modal.ts'
import type { Facts } from './about.page.tsx'

/** Changes the contact texts of the about page. */
export function ContactForm({ contact, onClose }: { contact: Facts['contact']; onClose(): void }) {
  const latest = async () => (await call(about.facts, {})).contact
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
