import { Alert, Button, Modal } from 'antd'
import type { ReactNode } from 'react'
import { useUnsaved } from '#core/routing/tab.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { saveSecretText } from './save-secrets.ts'
import '#kit/record/details.css'

interface OneTimeSecretProps {
  title: string
  account: string
  /** Label of the secret's owner; default: account. */
  owner?: string
  /** Label of the secret: 一次性密码, 重置码. */
  label: string
  secret: string
  hint: ReactNode
  /** Replaces the warning that the secret cannot be shown again, for secrets that can be shown again. */
  warning?: string
  onClose(): void
}

/**
 * Dialog with a password, code or key. Only an explicit click closes the dialog. While it shows a secret that cannot be
 * shown again, closing the tab or the window asks for confirmation.
 */
export function OneTimeSecret(props: OneTimeSecretProps) {
  const { title, account, owner = '账号', label, secret, hint, onClose } = props
  const { warning = `${label}只显示这一次，关闭后无法再查看` } = props
  const isOnly = props.warning === undefined
  useUnsaved(isOnly)
  const save = () =>
    saveSecretText(`${label}-${account}`, [
      [owner, account],
      [label, secret],
    ])
  return (
    <Modal
      open
      title={title}
      closable={false}
      keyboard={false}
      footer={
        <>
          {isOnly && <Button onClick={save}>下载</Button>}
          <Button type="primary" onClick={onClose}>
            我已保存
          </Button>
        </>
      }
    >
      <Alert type="warning" showIcon title={warning} style={{ marginBottom: 16 }} />
      <SecretDetails owner={owner} account={account} label={label} secret={secret} />
      <p style={{ color: 'var(--ant-color-text-secondary)', margin: '8px 0 0' }}>{hint}</p>
    </Modal>
  )
}

function SecretDetails({
  owner,
  account,
  label,
  secret,
}: Pick<OneTimeSecretProps, 'owner' | 'account' | 'label' | 'secret'>) {
  return (
    <dl className="kit-details">
      <div>
        <dt>{owner}</dt>
        <dd>
          <CopyText text={account} />
        </dd>
      </div>
      <div className="kit-wide kit-secret">
        <dt>{label}</dt>
        <dd>
          <strong>
            <CopyText text={secret} />
          </strong>
        </dd>
      </div>
    </dl>
  )
}
