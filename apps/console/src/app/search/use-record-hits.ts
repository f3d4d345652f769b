import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { can } from '#core/auth/session.tsx'
import { useDebounced } from '#kit/form/use-debounced.ts'
import { normalizeKeyword } from '#kit/list/use-keyword.ts'
import { RECORD_FINDERS } from './record-finders.ts'

const PAUSE_MS = 200
const SHORTEST = 2

/** Returns matching records, debounced. A failed record kind does not hide the others. */
export function useRecordHits(text: string) {
  const keyword = useDeferredValue(useDebounced(normalizeKeyword(text), PAUSE_MS))
  const finders = RECORD_FINDERS.filter(({ access }) => can(access))
  const enabled = keyword.length >= SHORTEST && finders.length > 0
  const { data, isFetching } = useQuery({
    queryKey: ['palette', keyword],
    queryFn: async ({ signal }) => {
      const answers = await Promise.allSettled(finders.map(({ find }) => find(keyword, signal)))
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    },
    enabled,
  })
  return { hits: enabled ? (data ?? []) : [], searching: isFetching }
}
