import { Tag } from 'antd'
import { useMemo } from 'react'
import { DictTag } from './dict.tsx'
import { useDict } from './use-dict.ts'

type Words = Readonly<Record<number, string>>

/**
 * The words of a closed set of codes as the dictionary has them now; the contract's own where it has none, and until it
 * has come. The codes are the product's: a dictionary renames and colours them, it neither adds nor removes any.
 */
export function useWords(type: string, words: Words) {
  const dict = useDict(type)
  return useMemo(() => {
    const label = (value: unknown) => dict.entryOf(value)?.dictLabel ?? words[Number(value)] ?? String(value ?? '')
    const options = Object.keys(words).map((value) => ({ value: Number(value), label: label(value) }))
    return { label, options }
  }, [dict, words])
}

interface WordTagProps {
  readonly type: string
  readonly words: Words
  readonly value: number
  /** Colour of a code the dictionary does not know. */
  readonly color?: string | undefined
}

/** A code in the dictionary's word and colour. */
export function WordTag({ type, words, value, color = 'default' }: WordTagProps) {
  const dict = useDict(type)
  if (dict.entryOf(value)) return <DictTag dict={dict} value={value} />
  return <Tag color={color}>{words[value] ?? String(value)}</Tag>
}

/** The same as plain text, for cells and facts. */
export function Word({
  type,
  words,
  value,
}: Omit<WordTagProps, 'value' | 'color'> & { readonly value: number | null }) {
  const { label } = useWords(type, words)
  return value === null ? <span className="kit-none">-</span> : label(value)
}
