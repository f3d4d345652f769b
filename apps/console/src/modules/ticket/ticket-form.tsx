import { FeedbackInput } from '@oms/contract/ticket/ticket-input.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { PROBLEM_TYPE, TICKET_FILE, TICKET_IMAGE } from '@oms/contract/ticket/ticket-rows.ts'
import { Drawer, Form, Select } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { Field, NoteField, SelectField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { useDebounced } from '#kit/form/use-debounced.ts'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { UserPicker } from '#kit/pickers/user-picker.tsx'
import { DeviceFacts } from './device-panel.tsx'
import { PROBLEM_TYPE_DICT, useTagOptions } from './ticket.tsx'

/** Shows the device of the typed serial number, so that the user notices a wrong number before saving. */
function SerialFacts({ sn }: { sn: string }) {
  const asked = useDebounced(sn.trim())
  if (asked === '') return null
  return (
    <section className="kit-block kit-note" aria-label="设备信息" aria-live="polite">
      <SerialDevice sn={asked} />
    </section>
  )
}

function SerialDevice({ sn }: { sn: string }) {
  const { data, error } = useRead(feedback.device, { sn }, { quiet: true, keepPrevious: false })
  if (error) return <p className="kit-muted">暂时无法加载设备信息，可继续填写</p>
  if (!data) return <p className="kit-muted">正在查找设备…</p>
  if (!data.device) return <p className="kit-muted">系统中没有该序列号的设备，工单仍可提交</p>
  return <DeviceFacts device={data.device} hasOwner />
}

/** Form that adds a ticket for a customer who reports a problem by telephone or mail. */
export function TicketForm({ onClose, onMade }: { onClose(): void; onMade(id: number): void }) {
  const hasManyTenants = useHasManyTenants()
  const tags = useTagOptions()
  const problems = useDictLabels(PROBLEM_TYPE_DICT, PROBLEM_TYPE).options
  const { drawer, footer, form } = useFormDrawer(feedback.create, {
    onClose,
    initial: { priority: 2, source: 3, tags: [] },
    onSaved: ({ id }) => onMade(id),
  })
  const sn = Form.useWatch('sn', form.form) as string | undefined
  return (
    <Drawer title="新增工单" {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={FeedbackInput} name="sn" hint="填写后自动带出客户、型号和系统版本" />
        {sn && <SerialFacts sn={sn} />}
        {!sn && hasManyTenants && (
          <Field of={FeedbackInput} name="tenantId" hint="不选则属于当前客户">
            <TenantPicker onlyEnabled create="tenant" />
          </Field>
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
          <UserPicker forTickets />
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
