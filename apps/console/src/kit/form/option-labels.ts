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

type NameOf = (value: unknown) => string | undefined

const namersById = new Map<string, NameOf>()

/**
 * Publishes a function that names the values of a control without options: the nodes of a tree, the items of a list.
 * The id of a form field is the name of the form and the path of the field, joined with `_`.
 */
export function useValueNames(id: string | undefined, nameOf: NameOf) {
  useEffect(() => {
    if (!id) return undefined
    namersById.set(id, nameOf)
    return () => {
      if (namersById.get(id) === nameOf) namersById.delete(id)
    }
  }, [id, nameOf])
}

/** Returns the name of a value in the control with the id: a label of an option, or a published name. */
export function findOptionLabel(id: string, value: unknown): string | undefined {
  const name = namersById.get(id)?.(value)
  if (name !== undefined) return name
  const option = optionsById.get(id)?.find((each) => String(each.value) === String(value))
  if (typeof option?.label === 'string') return option.label
  const inputs = document
    .getElementById(id)
    ?.querySelectorAll<HTMLInputElement>('input[type=radio],input[type=checkbox]')
  const input = [...(inputs ?? [])].find((each) => each.value === String(value))
  return input?.closest('label')?.textContent.trim() || undefined
}
