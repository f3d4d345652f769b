import { type DictEntry, dictData } from '@oms/contract/dict.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useServerEvent } from '#kernel/events.ts'
import { keyOf, useRead } from '#kernel/query.ts'

/** What a tag or a select looks at. */
type Entry = Pick<DictEntry, 'dictLabel' | 'dictValue' | 'listClass' | 'cssClass' | 'status'>

export interface Dict {
  readonly entries: readonly Entry[]
  readonly options: readonly { value: string; label: string }[]
  entryOf(value: unknown): Entry | undefined
  /** The label, or the value itself where the dictionary has none. */
  labelOf(value: unknown): string
}

/** A data dictionary by type: asked for once however many ask, kept until the server says that it changed. */
export function useDict(type: string): Dict {
  const client = useQueryClient()
  // With those out of use: rows of old still need their labels.
  const input = { type, all: 1 } as const
  const { data } = useRead(dictData.byType, input, {
    staleTime: Number.POSITIVE_INFINITY,
    quiet: true,
    keepPrevious: false,
  })
  useServerEvent('dict', (changed) => {
    // Several screens show the same dictionary: the first one's question serves all.
    const queryKey = keyOf(dictData.byType, input)
    if (changed.type === type || changed.type === ALL)
      void client.invalidateQueries({ queryKey }, { cancelRefetch: false })
  })
  return useMemo(() => dictOf(data ?? []), [data])
}

/** The event of a refreshed cache speaks of every type. */
const ALL = '*'

/** A dictionary with its entries found by value at once, for tables full of tags. */
export function dictOf(entries: readonly Entry[]): Dict {
  const byValue = new Map(entries.map((entry) => [entry.dictValue, entry]))
  const entryOf = (value: unknown) => byValue.get(String(value))
  return {
    entries,
    // A value taken out of use still has its label in old rows, but is offered no more.
    options: entries
      .filter(({ status }) => status === 1)
      .map(({ dictValue, dictLabel }) => ({ value: dictValue, label: dictLabel })),
    entryOf,
    labelOf: (value) => entryOf(value)?.dictLabel ?? (value == null ? '' : String(value)),
  }
}
