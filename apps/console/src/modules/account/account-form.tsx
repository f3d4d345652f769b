import { DEFAULT_NAME } from '@oms/contract/core/product.ts'
import { type ReactNode, useEffect, useLayoutEffect } from 'react'
import { Form, type FormRule, Input, Flex, Button, Space, type FormInstance } from 'antd'
import type * as z from 'zod'
import { PASSWORD_MAX, PASSWORD_MIN, account } from '@oms/contract/account/account.ts'
import { findProblem } from '#kit/form/form-values.ts'
import { useQuery } from '@tanstack/react-query'
import { call } from '#core/api/client.ts'
import { countCode, removeBlanks } from '#kit/form/text-limit.ts'
import { computeMd5 } from '#core/auth/md5.ts'
import { expectLogout } from '#core/auth/relogin.ts'
import { clearSession } from '#core/auth/session.tsx'
import { publishToTabs } from '#core/events/tab-channel.ts'
import { navigateAway } from '#core/routing/leave-page.ts'
import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { useWrite } from '#core/api/query.ts'
import panel from '#core/sign-in/panel.html?raw'
import '#core/sign-in/sign-in.css'
import { showPageBrand } from '#core/sign-in/page-brand.ts'
import { useColorScheme } from '#core/theme/color-scheme.ts'
import { formatPageTitle } from '#core/theme/page-title.ts'
import './fields.css'

interface Props {
  readonly title: string
  readonly subtitle: string
  readonly children: ReactNode
}

/** Layout of the pages without a login: the brand at the left, as on the login page, and the form at the right. */
export function PublicPageLayout({ title, subtitle, children }: Props) {
  const scheme = useColorScheme()
  useEffect(() => {
    document.title = formatPageTitle(title)
  }, [title])
  useLayoutEffect(() => showPageBrand(scheme), [scheme])
  return (
    <div className="split">
      {/* oxlint-disable-next-line react/no-danger -- a file of this repository, which the login page contains as well */}
      <aside className="side" aria-label="产品介绍" dangerouslySetInnerHTML={PANEL} />
      <main className="pane">
        <div className="pane-form">
          <div className="name small">
            <img src="/favicon.svg" alt="" />
            <span data-name>{DEFAULT_NAME}</span>
          </div>
          <h1>{title}</h1>
          <p>{subtitle}</p>
          {children}
        </div>
      </main>
    </div>
  )
}

const PANEL = { __html: panel }

/** Returns antd's form rule of a contract field, with the server's message. */
export const buildFieldRules = (schema: z.ZodType): FormRule => ({
  validator: async (_rule, value: unknown) => {
    const problem = findProblem(schema, value ?? '')
    if (problem) throw new Error(problem)
  },
})

const WEAK = `密码需${PASSWORD_MIN}-${PASSWORD_MAX} 位，并同时包含字母和数字`

/** Checks the password strength in the browser, because the server receives only the hash. */
const strongEnough = (password: string) =>
  password.length >= PASSWORD_MIN && password.length <= PASSWORD_MAX && /[A-Za-z]/.test(password) && /\d/.test(password)

interface PasswordProps {
  readonly name: string
  readonly label: string
  readonly missing: string
  /** `new` checks the strength; `current` only requires a value. */
  readonly kind: 'new' | 'current'
}

const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

export function PasswordField({ name, label, missing, kind }: PasswordProps) {
  const strong: FormRule = {
    validator: async (_rule, value: unknown) => {
      if (trimmed(value) && !strongEnough(trimmed(value))) throw new Error(WEAK)
    },
  }
  return (
    <Form.Item
      name={name}
      label={label}
      extra={kind === 'new' ? WEAK : undefined}
      rules={[{ required: true, whitespace: true, message: missing }, ...(kind === 'new' ? [strong] : [])]}
    >
      <Input.Password maxLength={PASSWORD_MAX} autoComplete={kind === 'new' ? 'new-password' : 'current-password'} />
    </Form.Item>
  )
}

/** Password with confirmation field. */
export function RepeatField({ of, label = '确认新密码' }: { of: string; label?: string }) {
  return (
    <Form.Item
      name="repeat"
      label={label}
      dependencies={[of]}
      rules={[
        { required: true, whitespace: true, message: '请再次输入新密码' },
        ({ getFieldValue }) => ({
          validator: async (_rule, value: unknown) => {
            if (trimmed(value) && trimmed(value) !== trimmed(getFieldValue(of))) throw new Error('两次输入的密码不一致')
          },
        }),
      ]}
    >
      <Input.Password maxLength={PASSWORD_MAX} autoComplete="new-password" />
    </Form.Item>
  )
}

/** Captcha picture with input; loads a new picture after every attempt. */
export function useCaptcha() {
  const { data, refetch } = useQuery({
    queryKey: ['captcha'],
    queryFn: () => call(account.captcha, {}),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return { captchaId: data?.captchaId ?? '', svg: data?.svg ?? '', renew: () => void refetch() }
}

export function CaptchaField({ svg, renew }: Pick<ReturnType<typeof useCaptcha>, 'svg' | 'renew'>) {
  return (
    <Form.Item label="图形验证码" required htmlFor="captcha">
      <Flex gap={10}>
        <Form.Item
          name="captcha"
          noStyle
          normalize={removeBlanks}
          rules={[{ required: true, whitespace: true, message: '请输入图形验证码' }]}
        >
          <Input id="captcha" {...countCode(16)} autoComplete="off" style={{ height: 40 }} />
        </Form.Item>
        <button type="button" className="captcha-image" aria-label="看不清，换一张图形验证码" onClick={renew}>
          {svg && <img src={svg} alt="" />}
        </button>
      </Flex>
    </Form.Item>
  )
}

interface Values {
  oldPassword: string
  newPassword: string
}
const FIELD_OF = { oldPswdMd5: 'oldPassword', newPswdMd5: 'newPassword' }
/** Milliseconds between the toast and the login page, as specified. */
const LEAVE_MS = 500

/** Changes the user's password; all sessions end, including the current one. */
export function PasswordForm({ extra }: { extra?: ReactNode }) {
  const [form] = Form.useForm<Values>()
  const { submit, busy } = useSubmit(account.modifyPassword, form, FIELD_OF)
  const leave = () => {
    setTimeout(() => {
      clearSession()
      publishToTabs({ type: 'logout' })
      navigateAway('/login', account.modifyPassword.done)
    }, LEAVE_MS)
  }
  const onFinish = ({ oldPassword, newPassword }: Values) => {
    if (oldPassword.trim() === newPassword.trim())
      return form.setFields([{ name: 'newPassword', errors: ['新密码不能与旧密码相同'] }])
    // Suppresses the login dialog: the server may report the ended session before the response arrives.
    expectLogout(true)
    const input = { oldPswdMd5: computeMd5(oldPassword.trim()), newPswdMd5: computeMd5(newPassword.trim()) }
    submit(input, leave, () => expectLogout(false))
  }
  return (
    <Form name="password" form={form} layout="vertical" onFinish={onFinish} style={{ maxWidth: 400 }}>
      <PasswordField name="oldPassword" label="旧密码" missing="请输入旧密码" kind="current" />
      <PasswordField name="newPassword" label="新密码" missing="请输入新密码" kind="new" />
      <RepeatField of="newPassword" />
      <Space>
        <Button type="primary" htmlType="submit" loading={busy}>
          确认修改
        </Button>
        {extra}
      </Space>
    </Form>
  )
}

/** Submits a form with a loading state, a single request, and the server's error at its field. */
export function useSubmit<E extends Endpoint>(
  endpoint: E,
  form: FormInstance,
  fieldOf: Readonly<Record<string, string>> = {},
) {
  const write = useWrite(endpoint)
  const submit = (input: InputOf<E>, then: (result: ResultOf<E>) => void, otherwise?: () => void) => {
    if (write.isPending) return
    write.mutate(input, {
      onSuccess: then,
      onError: ({ fields }) => {
        form.setFields(fields.map(({ field, msg }) => ({ name: fieldOf[field] ?? field, errors: [msg] })))
        otherwise?.()
      },
    })
  }
  return { submit, busy: write.isPending }
}
