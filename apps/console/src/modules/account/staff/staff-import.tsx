import { staff } from '@oms/contract/account/staff.ts'
import type { ImportReport } from '@oms/contract/core/transfer.ts'
import { Alert, Button, Modal } from 'antd'
import { useState } from 'react'
import { useUnsaved } from '#core/routing/tab.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { saveSecretTable } from '#kit/feedback/save-secrets.ts'
import { ImportModal } from '#kit/jobs/import-modal.tsx'
import { DownloadFailedRows, ImportProblems } from '#kit/jobs/import-problems.tsx'

type StaffReport = ImportReport & {
  readonly passwords: readonly { readonly account: string; readonly password: string }[]
}

/** Imports accounts, then offers their one-time passwords as a file. */
export function StaffImport({ onClose }: { onClose(): void }) {
  const [report, setReport] = useState<StaffReport>()
  if (!report || report.passwords.length === 0)
    return (
      <ImportModal
        title="导入用户"
        to={staff.import}
        template={staff.template}
        onClose={onClose}
        onImported={(imported) => setReport(imported as StaffReport)}
      />
    )
  return <PasswordsDialog report={report} onClose={onClose} />
}

/**
 * Offers the one-time passwords as a file, and the refused lines. The dialog closes only after the passwords are saved;
 * closing the tab or the window before asks for confirmation.
 */
function PasswordsDialog({ report, onClose }: { report: StaffReport; onClose(): void }) {
  const { passwords } = report
  const [saved, setSaved] = useState(false)
  useUnsaved(true)
  const download = () => {
    const rows = passwords.map(({ account, password }) => [account, password])
    saveSecretTable('一次性密码', ['账号', '一次性密码'], rows)
    setSaved(true)
  }
  return (
    <Modal
      open
      title="导入完成"
      closable={false}
      keyboard={false}
      footer={
        <ReasonedButton type="primary" reason={saved ? undefined : '请先下载一次性密码'} onClick={onClose}>
          完成
        </ReasonedButton>
      }
    >
      <div className="kit-stack">
        <ImportProblems report={report} />
        <DownloadFailedRows report={report} />
        <Alert
          type="warning"
          showIcon
          title={`${passwords.length} 个新账号的一次性密码`}
          description="一次性密码只能在此下载，关闭后无法再查看。首次登录后必须修改密码。"
        />
        <Button type="primary" onClick={download}>
          下载一次性密码
        </Button>
      </div>
    </Modal>
  )
}
