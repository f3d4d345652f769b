import type { FormInstance } from 'antd'

/** Validates each changed field that shows an error, so that the error disappears with the first correct value. */
export function revalidateChanged(form: FormInstance, changed: object) {
  const names = form.getFieldsError().flatMap(({ name, errors }) => (errors.length > 0 ? [name] : []))
  const wrong = names.filter((name) => isWithin(changed, name))
  // The errors are shown at their fields.
  if (wrong.length > 0) form.validateFields(wrong).catch(() => {})
}

function isWithin(changed: object, name: readonly (string | number)[]) {
  let part: unknown = changed
  for (const key of name) {
    if (typeof part !== 'object' || part === null || !(key in part)) return false
    part = (part as Record<string | number, unknown>)[key]
  }
  return true
}
