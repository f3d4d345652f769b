import { Alert, Modal } from 'antd'
import type { ReactNode } from 'react'
import { CopyText } from './copy-text.tsx'
import './kit.css'

/** Something shown exactly once: a password or a code. Closing takes a deliberate press. */
export function OneTimeSecret(props: {
  title: string
  account: string
  /** What it belongs to is called; an account unless said otherwise. */
  owner?: string
  /** What the secret is called: 一次性密码, 重置码. */
  label: string
  secret: string
  hint: ReactNode
  onClose(): void
}) {
  const { title, account, owner = '账号', label, secret, hint, onClose } = props
  return (
    <Modal
      open
      title={title}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      cancelButtonProps={{ style: { display: 'none' } }}
      okText="我已保存"
      onOk={onClose}
    >
      <Alert type="warning" showIcon title={`${label}只显示这一次，关闭后无法再查看`} style={{ marginBottom: 16 }} />
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
      <p style={{ color: 'var(--ant-color-text-secondary)', margin: '8px 0 0' }}>{hint}</p>
    </Modal>
  )
}
