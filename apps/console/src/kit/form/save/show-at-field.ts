import type { FormInstance } from 'antd'
import { isApiError } from '#core/api/client.ts'
import { toFieldPath } from '#kit/form/form-values.ts'

/** Shows an API error at the form field that the error names. Returns false when the form has no such field. */
export function showAtField(form: FormInstance, error: unknown): boolean {
  const field = isApiError(error) ? error.field : undefined
  if (!isApiError(error) || !field) return false
  const name = toFieldPath(field)
  if (!form.getFieldsError().some((each) => each.name.join() === name.join())) return false
  form.setFields([{ name, errors: [error.message] }])
  form.scrollToField(name, { block: 'center', focus: true })
  return true
}
