import type { FormInstance } from 'antd'
import { isApiError } from '#core/api/client.ts'
import { toFieldPath } from '#kit/form/form-values.ts'
import { revealField } from '#kit/form/more-fields.tsx'

/**
 * Shows an API error at the form fields that the error names. Returns false when the form does not have the first of
 * these fields, whose problem is the message of the error.
 */
export function showAtField(form: FormInstance, error: unknown): boolean {
  if (!isApiError(error)) return false
  const known = new Set(form.getFieldsError().map(({ name }) => name.join()))
  const problems = error.fields.map(({ field, msg }) => ({ name: toFieldPath(field), errors: [msg] }))
  const [first] = problems
  if (!first || !known.has(first.name.join())) return false
  form.setFields(problems.filter(({ name }) => known.has(name.join())))
  for (const { name } of problems) revealField(name)
  form.scrollToField(first.name, { block: 'center', focus: true })
  return true
}
