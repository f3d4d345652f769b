import { type DictEntry, dictData } from '@oms/contract/system/dict.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useServerEvent } from '#core/events/events.ts'
import { createQueryKey, useRead } from '#core/api/query.ts'

/** Dictionary data of tags and selects. */
type Entry = Pick<DictEntry, 'dictLabel' | 'dictValue' | 'listClass' | 'cssClass' | 'status'>

export interface Dict {
  readonly entries: readonly Entry[]
  readonly options: readonly { value: string; label: string }[]
  entryOf(value: unknown): Entry | undefined
  /** Returns the label, or the value when the dictionary has no entry. */
  labelOf(value: unknown): string
}

/** Loads a data dictionary by type: one shared request, cached until the server reports a change. */
export function useDict(type: string): Dict {
  const client = useQueryClient()
  // Includes disabled entries, because old rows need their labels.
  const input = { type, all: 1 } as const
  const { data } = useRead(dictData.byType, input, {
    staleTime: Number.POSITIVE_INFINITY,
    quiet: true,
    keepPrevious: false,
  })
  useServerEvent('dict', (changed) => {
    // Several mounted screens share one request for a dictionary.
    const queryKey = createQueryKey(dictData.byType, input)
    if (changed.type === type || changed.type === ALL)
      void client.invalidateQueries({ queryKey }, { cancelRefetch: false })
  })
  return useMemo(() => indexDict(data ?? []), [data])
}

/** Type in the event after the caches of all dictionaries were cleared. */
const ALL = '*'

/** Returns a dictionary with entries indexed by value, for tables with many tags. */
export function indexDict(entries: readonly Entry[]): Dict {
  const byValue = new Map(entries.map((entry) => [entry.dictValue, entry]))
  const entryOf = (value: unknown) => byValue.get(String(value))
  return {
    entries,
    // A disabled entry keeps its label for old rows, but is not offered.
    options: entries
      .filter(({ status }) => status === 1)
      .map(({ dictValue, dictLabel }) => ({ value: dictValue, label: dictLabel })),
    entryOf,
    labelOf: (value) => entryOf(value)?.dictLabel ?? (value == null ? '' : String(value)),
  }
}
