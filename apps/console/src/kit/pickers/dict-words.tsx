import { State } from '#kit/record/state.tsx'
import { useMemo } from 'react'
import { DictTag } from './dict.tsx'
import { useDict } from './use-dict.ts'

type Words = Readonly<Record<number, string>>

/**
 * Returns the labels of a closed set of codes from the dictionary. The contract's labels are used until the
 * dictionary is loaded and for missing entries. A dictionary can rename and colour codes, but cannot add or remove
 * them.
 */
export function useDictLabels(type: string, words: Words) {
  const dict = useDict(type)
  return useMemo(() => {
    const label = (value: unknown) => dict.entryOf(value)?.dictLabel ?? words[Number(value)] ?? String(value ?? '')
    const options = Object.keys(words).map((value) => ({ value: Number(value), label: label(value) }))
    return { label, options }
  }, [dict, words])
}

interface DictLabelTagProps {
  readonly type: string
  readonly words: Words
  readonly value: number
  /** Colour of a code without a dictionary entry. */
  readonly color?: string | undefined
}

/** Renders a code with the label and colour of the dictionary. */
export function DictLabelTag({ type, words, value, color = 'default' }: DictLabelTagProps) {
  const dict = useDict(type)
  if (dict.entryOf(value)) return <DictTag dict={dict} value={value} />
  return <State color={color}>{words[value] ?? String(value)}</State>
}

/** Returns a code's label as plain text, for cells and descriptions. */
export function DictLabel({
  type,
  words,
  value,
}: Omit<DictLabelTagProps, 'value' | 'color'> & { readonly value: number | null }) {
  const { label } = useDictLabels(type, words)
  return value === null ? <span className="kit-none">-</span> : label(value)
}
