import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { CONSENT_DOCUMENT, ConsentInput, playbackConsents } from '@oms/contract/storage/consent.ts'
import { Form, Modal } from 'antd'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { Field, NoteField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { FileUpload } from '#kit/upload/file-upload.tsx'

type InitialConsent = Partial<InputOf<typeof playbackConsents.create>>

/** Records a written consent of a device's user. */
export function ConsentForm({ initial, onClose }: { initial?: InitialConsent; onClose: () => void }) {
  const { modal, form } = useFormModal(playbackConsents.create, { onClose, ...(initial && { initial }) })
  const of = ConsentInput
  return (
    <Modal title="登记录像查看授权" {...modal} okText="登记">
      <p className="kit-hint">登记人不能使用自己登记的授权查看录像，需由他人查看。</p>
      <Form {...form}>
        <TextField of={of} name="sn" />
        <div className="kit-pair">
          <DateTimeField of={of} name="rangeBegin" />
          <DateTimeField of={of} name="rangeEnd" />
        </div>
        <DateTimeField of={of} name="validUntil" />
        <Field of={of} name="document">
          <FileUpload rule={CONSENT_DOCUMENT} purpose="consent" />
        </Field>
        <NoteField of={of} name="note" rows={2} />
      </Form>
    </Modal>
  )
}
