import { SignInput } from '@oms/contract/upgrade/ota-signing.ts'
import { Form, Modal } from 'antd'
import { NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useSigning } from './use-signing.ts'

/** Dialog that uploads a signature made offline. */
export function SignatureModal({ otaId, onClose }: { otaId: number; onClose(): void }) {
  const { modal, form } = useFormModal(useSigning().sign, {
    onClose,
    input: ({ signature }) => ({ otaId, signature }) as never,
  })
  return (
    <Modal title="上传清单签名" {...modal}>
      <Form {...form}>
        <NoteField of={SignInput} name="signature" rows={3} hint="对清单原文的 Ed25519 签名，Base64 文本" />
      </Form>
    </Modal>
  )
}
