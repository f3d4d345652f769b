import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { about } from '@oms/contract/core/fields.ts'
import { FilterNote } from '#kit/list/filter-note.tsx'

/** Filters that the statistics set and that have no field in the search form. */
const RANGES = [
  ['flowBegin', 'flowEnd'],
  ['queueEndBegin', 'queueEndEnd'],
] as const
const QUERY = storageEntitlements.list.input

/** Shows the active filters that came from the statistics and offers to clear them. */
export function ActiveFilterNote({ initial, onClear }: { initial: object; onClear(): void }) {
  const values = initial as Readonly<Record<string, string | undefined>>
  const words = wordsOf(values)
  if (words.length === 0) return null
  return <FilterNote words={words} onClear={onClear} />
}

function wordsOf(values: Readonly<Record<string, string | undefined>>) {
  const labelled = (['flow', 'videos'] as const).flatMap((key) => {
    const value = values[key]
    if (value === undefined) return []
    const { title, labels } = about(QUERY, key)
    return [`${title}：${labels?.[Number(value)] ?? value}`]
  })
  const ranges = RANGES.flatMap(([begin, end]) => {
    const [from, to] = [values[begin], values[end]]
    if (!from && !to) return []
    return [`${about(QUERY, begin).title}：${from === to ? from : `${from ?? ''} 至 ${to ?? ''}`}`]
  })
  return [...labelled, ...ranges]
}
