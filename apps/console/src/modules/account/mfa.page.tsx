import { account } from '@oms/contract/account/account.ts'
import { Alert, Button, Form, Input, Space, Skeleton, Typography } from 'antd'
import { useState } from 'react'
import { computeMd5 } from '#core/auth/md5.ts'
import { useRead } from '#core/api/query.ts'
import { useSession } from '#core/auth/session.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { countCode, removeBlanks } from '#kit/form/text-limit.ts'
import { saveBlob } from '#core/api/download.ts'
import { useUnsaved } from '#core/routing/tab.tsx'
import { PasswordField, useSubmit } from './account-form.tsx'
import { AccountSettings } from './account-settings.tsx'
import { useQuery } from '@tanstack/react-query'

/** Second factor settings: codes of an authenticator application. */
export default function MfaPage() {
  const uid = useSession()?.uid ?? 0
  const read = useRead(account.detail, { id: uid }, { quiet: true })
  const { data } = read
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <AccountSettings title="两步验证">
      {codes ? (
        <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
      ) : !data ? (
        <Waiting reads={[read]} rows={3} />
      ) : data.mfaEnabled ? (
        <TurnOff />
      ) : (
        <TurnOn onBound={setCodes} />
      )}
    </AccountSettings>
  )
}

function TurnOn({ onBound }: { onBound: (codes: readonly string[]) => void }) {
  const [form] = Form.useForm<{ password: string }>()
  const { submit, busy } = useSubmit(account.mfaBind, form, { pswdMd5: 'password' })
  const [binding, setBinding] = useState<{ secret: string; url: string }>()
  if (binding) return <MfaBind {...binding} onBound={onBound} />
  return (
    <>
      <Alert
        type="info"
        showIcon
        style={{ marginBottom: 20 }}
        title="启用后，登录时除密码外还需输入验证器应用（如 Google Authenticator、Microsoft Authenticator）中的动态验证码。"
      />
      <Form
        name="mfa-bind"
        form={form}
        layout="vertical"
        style={{ maxWidth: 400 }}
        onFinish={({ password }) => submit({ pswdMd5: computeMd5(password.trim()) }, setBinding)}
      >
        <PasswordField name="password" label="当前密码" missing="请输入密码" kind="current" />
        <Button type="primary" htmlType="submit" loading={busy}>
          开始绑定
        </Button>
      </Form>
    </>
  )
}

function TurnOff() {
  const [form] = Form.useForm<{ password: string; totp: string }>()
  const { submit, busy } = useSubmit(account.mfaUnbind, form, { pswdMd5: 'password' })
  return (
    <>
      <Alert type="success" showIcon style={{ marginBottom: 20 }} title="两步验证已启用。关闭后，登录只需要密码。" />
      <Form
        name="mfa-unbind"
        form={form}
        layout="vertical"
        style={{ maxWidth: 400 }}
        onFinish={({ password, totp }) =>
          submit({ pswdMd5: computeMd5(password.trim()), totp }, () => form.resetFields())
        }
      >
        <PasswordField name="password" label="当前密码" missing="请输入密码" kind="current" />
        <Form.Item
          name="totp"
          label="动态验证码或恢复码"
          normalize={removeBlanks}
          rules={[{ required: true, whitespace: true, message: '请输入动态验证码' }]}
        >
          <Input {...countCode(32)} autoComplete="one-time-code" />
        </Form.Item>
        <Button danger htmlType="submit" loading={busy}>
          关闭两步验证
        </Button>
      </Form>
    </>
  )
}

/** Shows the recovery codes once; closing without saving them asks for confirmation. */
function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  useUnsaved(true)
  const keep = () => saveBlob(new Blob([codes.join('\r\n')], { type: 'text/plain' }), '恢复码.txt')
  return (
    <>
      <Alert
        type="warning"
        showIcon
        style={{ marginBottom: 16 }}
        title="请妥善保存恢复码。手机丢失时可用它登录，每个恢复码只能使用一次，此后不再显示。"
      />
      <ul className="mfa-codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Space>
        <Button onClick={keep}>下载恢复码</Button>
        <Button type="primary" onClick={onDone}>
          我已保存
        </Button>
      </Space>
    </>
  )
}

const SIZE = 200

interface Props {
  readonly secret: string
  readonly url: string
  readonly onBound: (codes: readonly string[]) => void
}

/** Shows the secret as QR code and text, and verifies a code of the authenticator application. */
function MfaBind({ secret, url, onBound }: Props) {
  const [form] = Form.useForm<{ totp: string }>()
  const { submit, busy } = useSubmit(account.mfaVerify, form)
  return (
    <div className="mfa-bind kit-row">
      <QrCode url={url} />
      <Form
        name="mfa-verify"
        form={form}
        layout="vertical"
        style={{ maxWidth: 400 }}
        onFinish={({ totp }) => submit({ totp }, ({ recoveryCodes }) => onBound(recoveryCodes))}
      >
        <p style={{ marginTop: 0 }}>1. 用验证器应用扫描二维码；无法扫描时手动输入密钥：</p>
        <Typography.Text code copyable style={{ overflowWrap: 'anywhere' }}>
          {secret}
        </Typography.Text>
        <p>2. 输入应用中显示的 6 位动态验证码：</p>
        <Form.Item
          name="totp"
          label="动态验证码"
          normalize={removeBlanks}
          rules={[{ required: true, whitespace: true, message: '请输入动态验证码' }]}
        >
          <Input {...countCode(8)} inputMode="numeric" autoComplete="one-time-code" />
        </Form.Item>
        <Button type="primary" htmlType="submit" loading={busy}>
          启用两步验证
        </Button>
      </Form>
    </div>
  )
}

function QrCode({ url }: { url: string }) {
  const { data: picture } = useQuery({
    queryKey: ['qr', url],
    queryFn: async () => (await import('qrcode')).toDataURL(url, { width: SIZE * 2, margin: 2 }),
    gcTime: 0,
  })
  return picture ? (
    <img src={picture} width={SIZE} height={SIZE} alt="绑定两步验证的二维码" />
  ) : (
    <Skeleton.Node active style={{ width: SIZE, height: SIZE }} />
  )
}
