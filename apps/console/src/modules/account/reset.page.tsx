import { account } from '@oms/contract/account/account.ts'
import { accountName } from '@oms/contract/account/account-fields.ts'
import { Alert, Button, Form, Input } from 'antd'
import { useState } from 'react'
import { computeMd5 } from '#core/auth/md5.ts'
import { leaveNote } from '#core/routing/leave-page.ts'
import { countCode, removeBlanks } from '#kit/form/text-limit.ts'
import {
  CaptchaField,
  useCaptcha,
  buildFieldRules,
  PasswordField,
  RepeatField,
  PublicPageLayout,
  useSubmit,
} from './account-form.tsx'

/** Resets a password in two steps: request a code, then set a new password. */
export default function ResetPage() {
  const [step, setStep] = useState<{ account: string; mail: Delivery | undefined }>()
  return (
    <PublicPageLayout title="重置密码" subtitle={step ? '填写验证码并设置新密码' : '先确认账号，再用验证码设置新密码'}>
      {step ? (
        <NewPassword {...step} onBack={() => setStep(undefined)} />
      ) : (
        <AskCode onAsked={(account, mail) => setStep({ account, mail })} />
      )}
      <p style={{ margin: '20px 0 0', textAlign: 'center' }}>
        <a href="/login">返回登录</a>
      </p>
    </PublicPageLayout>
  )
}

interface AskValues {
  account: string
  captcha: string
}

function AskCode({ onAsked }: { onAsked: (account: string, mail: Delivery | undefined) => void }) {
  const [form] = Form.useForm<AskValues>()
  const { captchaId, svg, renew } = useCaptcha()
  const { submit, busy } = useSubmit(account.resetCode, form, { captchaId: 'captcha' })
  const onFinish = ({ account, captcha }: AskValues) =>
    submit(
      { account, captcha, captchaId },
      ({ mail, delayed }) => onAsked(account.trim(), mail ? (delayed ? 'delayed' : 'mail') : 'hand'),
      renew,
    )
  const skip = async () => onAsked((await form.validateFields(['account'])).account, undefined)
  return (
    <Form name="reset-code" form={form} layout="vertical" onFinish={onFinish}>
      <Form.Item name="account" label="账号" required rules={[buildFieldRules(accountName)]}>
        <Input autoFocus maxLength={30} autoComplete="username" autoCapitalize="off" />
      </Form.Item>
      <CaptchaField svg={svg} renew={renew} />
      <Button type="primary" htmlType="submit" size="large" block loading={busy}>
        获取验证码
      </Button>
      <Button type="link" block style={{ marginTop: 8 }} onClick={() => void skip().catch(() => {})}>
        已有验证码，直接设置新密码
      </Button>
    </Form>
  )
}

interface NewValues {
  code: string
  password: string
}

interface NewProps {
  readonly account: string
  readonly mail: Delivery | undefined
  readonly onBack: () => void
}

function NewPassword({ account: name, mail, onBack }: NewProps) {
  const [form] = Form.useForm<NewValues>()
  const { submit, busy } = useSubmit(account.reset, form, { newPswdMd5: 'password' })
  const onFinish = ({ code, password }: NewValues) =>
    submit({ account: name, code, newPswdMd5: computeMd5(password.trim()) }, () => {
      leaveNote(account.reset.done)
      setTimeout(() => location.assign('/login'), 1200)
    })
  return (
    <Form name="reset" form={form} layout="vertical" onFinish={onFinish}>
      {mail !== undefined && <Alert type="info" showIcon style={{ marginBottom: 16 }} title={HOW[mail]} />}
      <Form.Item label="账号">
        <Input value={name} disabled aria-label="账号" />
      </Form.Item>
      <Form.Item
        name="code"
        label="验证码"
        normalize={removeBlanks}
        rules={[{ required: true, whitespace: true, message: '请输入验证码' }]}
      >
        <Input autoFocus {...countCode(32)} autoComplete="one-time-code" />
      </Form.Item>
      <PasswordField name="password" label="新密码" missing="请输入新密码" kind="new" />
      <RepeatField of="password" />
      <Button type="primary" htmlType="submit" size="large" block loading={busy}>
        重置密码
      </Button>
      <Button type="link" block style={{ marginTop: 8 }} onClick={onBack}>
        上一步
      </Button>
    </Form>
  )
}

type Delivery = keyof typeof HOW

const HOW = {
  mail: '如果账号存在并已绑定邮箱，验证码邮件将在几分钟内送达，请查收。每个账号每小时最多发送 3 封。',
  delayed: '邮件服务暂时不可用。如果账号存在并已绑定邮箱，验证码邮件会在恢复后自动发送，也可联系管理员获取验证码。',
  hand: '本系统未配置邮件服务，请联系管理员获取验证码。',
} as const
