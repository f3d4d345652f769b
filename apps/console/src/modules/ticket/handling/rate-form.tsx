import { feedback, RateInput } from '@oms/contract/ticket/ticket.ts'
import { SATISFACTION } from '@oms/contract/ticket/ticket-rows.ts'
import { Form, Modal, Rate } from 'antd'
import { Field, NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type { TicketInfo } from '../ticket-head.tsx'

/** Form that records the customer's rating of a closed ticket. */
export function RateForm({ info, onClose }: { info: TicketInfo; onClose(): void }) {
  const { id, satisfaction, satisfactionRemark } = info
  const initial = { id, ...(satisfaction !== null && { satisfaction }), satisfactionRemark }
  const { modal, form } = useFormModal(feedback.rate, { onClose, initial })
  return (
    <Modal title="记录满意度" {...modal}>
      <Form {...form}>
        <Field of={RateInput} name="satisfaction">
          <Rate tooltips={Object.values(SATISFACTION)} />
        </Field>
        <NoteField of={RateInput} name="satisfactionRemark" rows={3} />
      </Form>
    </Modal>
  )
}
