import type { FormInstance } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { currentSession } from './session.tsx'

const PREFIX = 'draft:'
/** Never written down, wherever they occur: what lets somebody in, or is sent to prove who somebody is. */
const SECRET = new RegExp(
  [
    'passw|pass_?phrase|pswd|pwd|secret|captcha|otp(?![a-z])|token(?!s)|ticket$|(api|private|license)_?key',
    // Codes are many (a version's, a role's): of them only those that are handed over once.
    '(verif\\w*|sms|e?mail|reset|mfa|auth|recovery|one_?time)_?codes?$',
  ].join('|'),
  'i',
)
/** A switch or a number is no secret, whatever it is called: `pwdMustChange`. */
const isSecret = (field: string, value: unknown) =>
  SECRET.test(field) && typeof value !== 'boolean' && typeof value !== 'number'

/**
 * Keeps what was typed into a long form until it is saved or given up: a session that ends, or a reload, loses nothing.
 * Spread `onValuesChange` into the form and call `clear` on save and on cancel.
 */
export function useDraft(key: string, form: FormInstance) {
  const name = `${PREFIX}${currentSession()?.uid ?? 0}:${key}`
  const [restored, setRestored] = useState(() => readDraft(name) !== undefined)
  const restore = useEffectEvent(() => {
    const stored = readDraft(name)
    if (stored) form.setFieldsValue(stored)
  })
  useEffect(() => restore(), [name])
  return {
    /** True when the form opened with what was typed before: say so. */
    restored,
    onValuesChange: () => sessionStorage.setItem(name, JSON.stringify(withoutSecrets(form.getFieldsValue(true)))),
    clear: () => {
      sessionStorage.removeItem(name)
      setRestored(false)
    },
  }
}

function readDraft(name: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Everything but passwords and their like, at any depth. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  // Dates and files have a form of their own; only plain objects are walked.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).filter(([field, each]) => !isSecret(field, each))
  return Object.fromEntries(entries.map(([field, each]) => [field, withoutSecrets(each)]))
}

/** Logging out on purpose gives every draft up. */
export function clearDrafts() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}
