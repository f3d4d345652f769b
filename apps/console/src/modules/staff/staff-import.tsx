import { staff } from '@oms/contract/staff/staff.ts'
import { Alert, Button, Modal } from 'antd'
import { useState } from 'react'
import { saveBlob } from '#core/api/download.ts'
import { ImportModal } from '#kit/jobs/import-modal.tsx'

type Handed = readonly { readonly account: string; readonly password: string }[]

/** Imports accounts, then offers their one-time passwords as a file. */
export function StaffImport({ onClose }: { onClose(): void }) {
  const [passwords, setPasswords] = useState<Handed>([])
  if (passwords.length === 0)
    return (
      <ImportModal
        title="导入用户"
        to={staff.import}
        template={staff.template}
        onClose={onClose}
        onImported={(report) => setPasswords((report as unknown as { passwords: Handed }).passwords)}
      />
    )
  return <PasswordsDialog passwords={passwords} onClose={onClose} />
}

/** Offers the one-time passwords as a file. The dialog closes only after the download. */
function PasswordsDialog({ passwords, onClose }: { passwords: Handed; onClose(): void }) {
  const [saved, setSaved] = useState(false)
  const download = () => {
    const lines = ['账号,一次性密码', ...passwords.map(({ account, password }) => `${account},${password}`)]
    saveBlob(new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), '一次性密码.csv')
    setSaved(true)
  }
  return (
    <Modal
      open
      title="导入完成"
      closable={false}
      keyboard={false}
      okText="完成"
      okButtonProps={{ disabled: !saved }}
      cancelButtonProps={{ style: { display: 'none' } }}
      onOk={onClose}
    >
      <Alert
        type="warning"
        showIcon
        title={`已新增 ${passwords.length} 个账号`}
        description="一次性密码只能在此下载，关闭后无法再查看。首次登录后必须修改密码。"
        style={{ marginBottom: 16 }}
      />
      <Button type="primary" onClick={download}>
        下载一次性密码
      </Button>
    </Modal>
  )
}
