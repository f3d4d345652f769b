import type { FormInstance } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { getSession } from './session.tsx'

const PREFIX = 'draft:'
/** Field names that are never stored in a draft: credentials and verification codes. */
const SECRETS = [
  /passw|pass_?phrase|pswd|pwd|secret|captcha|otp(?![a-z])|token(?!s)|ticket$|(?:api|private|license)_?key/i,
  // Only one-time codes are excluded; business codes (of a version, of a role) are kept.
  /(?:verif\w*|sms|e?mail|reset|mfa|auth|recovery|one_?time)_?codes?$/i,
]
/** Returns true for a credential. Booleans and numbers are never secrets, whatever their name: `pwdMustChange`. */
const isSecret = (field: string, value: unknown) =>
  SECRETS.some((secret) => secret.test(field)) && typeof value !== 'boolean' && typeof value !== 'number'

/** Storage key of a draft. Drafts are separated by account and tenant. */
export const formatDraftKey = (uid: number, ownerId: string, key: string) => `${PREFIX}${uid}:${ownerId}:${key}`

/**
 * Stores the input of a long form until it is saved or cancelled, so that an expired session or a reload loses
 * nothing. A draft ends with its browser tab, so that a shared computer keeps no data. Pass `onValuesChange` to the
 * form, and call `clear` on save and on cancel.
 */
export function useDraft(key: string, form: FormInstance) {
  const session = getSession()
  const name = formatDraftKey(session?.uid ?? 0, session?.ownerId ?? '', key)
  const [restored, setRestored] = useState(() => readDraft(name) !== undefined)
  const restore = useEffectEvent(() => {
    const stored = readDraft(name)
    if (stored) form.setFieldsValue(stored)
  })
  useEffect(() => restore(), [name])
  return {
    /** True when the form was restored from a draft; the form must show a notice. */
    restored,
    onValuesChange: () => sessionStorage.setItem(name, JSON.stringify(removeSecrets(form.getFieldsValue(true)))),
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

/** Removes credentials from form values at any depth. */
export function removeSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeSecrets)
  if (typeof value !== 'object' || value === null) return value
  // Only plain objects are traversed; dates and files are stored by their own conversion.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).filter(([field, each]) => !isSecret(field, each))
  return Object.fromEntries(entries.map(([field, each]) => [field, removeSecrets(each)]))
}

/** Deletes all drafts when the user logs out. */
export function clearDrafts() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}
