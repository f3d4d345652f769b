import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { useEffect, useEffectEvent } from 'react'
import { type SaveOptions, useSaveForm } from './save/use-save-form.ts'

/**
 * Creates a form that stays on its page after saving. A newer revision of the record replaces the form's values unless
 * the form has unsaved changes. The page disables the fields while `saving`, because the response replaces them.
 */
export function usePageForm<E extends Endpoint>(
  endpoint: E,
  record: object & { readonly rev: number },
  options: Omit<SaveOptions<E>, 'initial'>,
) {
  const save = useSaveForm(endpoint, { ...options, initial: record })
  const takeOver = useEffectEvent(() => {
    if (!save.dirty && save.form.form.getFieldValue('rev') !== record.rev) save.load(record)
  })
  useEffect(() => takeOver(), [record.rev, save.dirty])
  return save
}
