import { FeedbackInput } from '@oms/contract/feedback-input.ts'
import { feedback } from '@oms/contract/feedback.ts'
import { PROBLEM_TYPE, TICKET_FILE, TICKET_IMAGE } from '@oms/contract/feedback-rows.ts'
import { Drawer, Form, Select } from 'antd'
import { useWords } from '#kit/dict-words.tsx'
import { Field, NoteField, SelectField, TextField } from '#kit/field.tsx'
import { FormFooter } from '#kit/form-footer.tsx'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { useFormDrawer } from '#kit/use-form-modal.ts'
import { UserPicker } from '#kit/user-picker.tsx'
import { TYPE_DICT } from './ticket-tags.tsx'
import { useChoices } from './use-choices.ts'

/** Writes down what a customer reports by telephone or elsewhere. */
export function TicketForm({ onClose, onMade }: { onClose(): void; onMade(id: number): void }) {
  const { tenants, tags } = useChoices()
  const problems = useWords(TYPE_DICT, PROBLEM_TYPE).options
  const { drawer, footer, form } = useFormDrawer(feedback.create, {
    onClose,
    initial: { priority: 2, source: 3, tags: [] },
    onSaved: ({ id }) => onMade(id),
  })
  const sn = Form.useWatch('sn', form.form) as string | undefined
  return (
    <Drawer title="新建工单" {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={FeedbackInput} name="sn" hint="填写后自动带出客户、型号和系统版本" />
        {!sn && tenants.length > 1 && (
          <SelectField of={FeedbackInput} name="tenantId" options={tenants} hint="不选则属于当前客户" />
        )}
        <TextField of={FeedbackInput} name="account" />
        <TextField of={FeedbackInput} name="contact" />
        <SelectField of={FeedbackInput} name="problemType" options={problems} />
        <NoteField of={FeedbackInput} name="content" rows={5} />
        <SelectField of={FeedbackInput} name="priority" />
        <SelectField of={FeedbackInput} name="source" />
        <Field of={FeedbackInput} name="tags">
          <Select mode="tags" tokenSeparators={[',', '，']} options={tags} placeholder="输入后回车，可选已有标签" />
        </Field>
        <Field of={FeedbackInput} name="handlerId" hint="不选则进入待认领">
          <UserPicker />
        </Field>
        <Field of={FeedbackInput} name="images">
          <ImageUpload rule={TICKET_IMAGE} purpose="ticketImage" />
        </Field>
        <Field of={FeedbackInput} name="attachments">
          <FileUpload rule={TICKET_FILE} purpose="ticket" />
        </Field>
      </Form>
    </Drawer>
  )
}
