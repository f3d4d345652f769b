import { Form, type FormRule, Input } from 'antd'
import type * as z from 'zod'
import { PASSWORD_MAX, PASSWORD_MIN } from '@oms/contract/account/account.ts'
import { findProblem } from '#kit/form/form-values.ts'

/** Returns antd's form rule of a contract field, with the server's message. */
export const buildFieldRules = (schema: z.ZodType): FormRule => ({
  validator: async (_rule, value: unknown) => {
    const problem = findProblem(schema, value ?? '')
    if (problem) throw new Error(problem)
  },
})

const WEAK = `密码需${PASSWORD_MIN}-${PASSWORD_MAX}位，并同时包含字母和数字`

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
