import { licenseCerts } from '@oms/contract/license/license.ts'
import type { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { Alert, Form, Modal } from 'antd'
import { useRef, useState } from 'react'
import { CopyText } from '#kit/record/copy-text.tsx'
import { NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import '#kit/record/details.css'

/** Shows a full UID and its key once, after a reason was entered. */
export function RevealKeyDialog({ row, onClose }: { row: LicenseRow; onClose(): void }) {
  const [shown, setShown] = useState<{ uid: string; key: string }>()
  const isRevealed = useRef(false)
  const reveal = (secret: { uid: string; key: string }) => {
    isRevealed.current = true
    setShown(secret)
  }
  // In a hidden tab the form calls `close` at once. The dialog ignores this call, and shows the secret until the user
  // closes the dialog.
  const close = () => {
    if (!isRevealed.current) onClose()
  }
  if (shown) return <Shown uid={shown.uid} licenseKey={shown.key} onClose={onClose} />
  return <Asked row={row} onShown={reveal} onClose={close} />
}

function Asked(props: { row: LicenseRow; onShown(shown: { uid: string; key: string }): void; onClose(): void }) {
  const { row, onShown, onClose } = props
  const { modal, form } = useFormModal(licenseCerts.reveal, {
    onClose,
    onSaved: onShown,
    initial: { id: row.id, reason: '' },
  })
  return (
    <Modal title={`查看明文 ${row.uid}`} {...modal} okText="查看">
      <Alert type="warning" showIcon title="每次查看都会记录查看人与原因" style={{ marginBottom: 16 }} />
      <Form {...form}>
        <NoteField of={licenseCerts.reveal.input} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}

function Shown({ uid, licenseKey, onClose }: { uid: string; licenseKey: string; onClose(): void }) {
  return (
    <Modal
      open
      title="证书明文"
      closable={false}
      keyboard={false}
      cancelButtonProps={{ style: { display: 'none' } }}
      okText="关闭"
      onOk={onClose}
    >
      <Alert type="info" showIcon title="仅本次显示，再次查看需重新填写原因" style={{ marginBottom: 16 }} />
      <dl className="kit-details">
        <div className="kit-wide kit-secret">
          <dt>UID</dt>
          <dd>
            <CopyText text={uid} />
          </dd>
        </div>
        <div className="kit-wide kit-secret">
          <dt>密钥</dt>
          <dd>{licenseKey ? <CopyText text={licenseKey} /> : '导入时没有密钥'}</dd>
        </div>
      </dl>
    </Modal>
  )
}
