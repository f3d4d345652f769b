import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { can } from '#core/auth/session.tsx'
import { useDebounced } from '#kit/form/use-debounced.ts'
import { normalizeKeyword } from '#kit/list/use-keyword.ts'
import { limitParallel } from './limit-parallel.ts'
import { RECORD_FINDERS } from './record-finders.ts'

const PAUSE_MS = 200
const SHORTEST = 2
/** Maximum number of simultaneous requests, because a keyword may concern many kinds of records. */
const MAX_REQUESTS = 4

/**
 * Returns the records that match the text. Requests are debounced, and results of an earlier text are never returned.
 * When the search of one kind of records fails, the records of the other kinds are still returned.
 */
export function useRecordHits(text: string) {
  const typed = normalizeKeyword(text)
  const keyword = useDeferredValue(useDebounced(typed, PAUSE_MS))
  const finders = RECORD_FINDERS.filter(({ access, accepts }) => can(access) && accepts(keyword))
  const enabled = keyword.length >= SHORTEST && finders.length > 0
  const { data, isFetching } = useQuery({
    queryKey: ['palette', keyword],
    queryFn: async ({ signal }) => {
      const run = limitParallel(MAX_REQUESTS)
      const answers = await Promise.allSettled(finders.map(({ find }) => find(keyword, signal, run)))
      const hits = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      // Two lists may contain the same record: the accounts of all tenants and those of this tenant.
      return [...new Map(hits.toReversed().map((hit) => [hit.key, hit])).values()].toReversed()
    },
    enabled,
  })
  const isCurrent = keyword === typed
  return { hits: enabled && isCurrent ? (data ?? []) : [], searching: isFetching || !isCurrent }
}
