import { type ReactNode, useEffect } from 'react'

interface LabeledOption {
  readonly value?: unknown
  readonly label?: ReactNode
}

const optionsById = new Map<string, readonly LabeledOption[]>()

/** Publishes the options of a form control by the control's id, so that a conflict names the values of both sides. */
export function useOptionLabels(id: string | undefined, options: readonly LabeledOption[]) {
  useEffect(() => {
    if (!id) return undefined
    optionsById.set(id, options)
    return () => {
      if (optionsById.get(id) === options) optionsById.delete(id)
    }
  }, [id, options])
}

/** Returns the label of a value in the select, radio group or checkbox group with the id. */
export function findOptionLabel(id: string, value: unknown): string | undefined {
  const option = optionsById.get(id)?.find((each) => String(each.value) === String(value))
  if (typeof option?.label === 'string') return option.label
  const inputs = document
    .getElementById(id)
    ?.querySelectorAll<HTMLInputElement>('input[type=radio],input[type=checkbox]')
  const input = [...(inputs ?? [])].find((each) => each.value === String(value))
  return input?.closest('label')?.textContent.trim() || undefined
}
