import { useQueries } from '@tanstack/react-query'
import { can } from '#core/auth/session.tsx'
import { useDebounced } from '#kit/form/use-debounced.ts'
import { normalizeKeyword } from '#kit/list/use-keyword.ts'
import type { HitGroup } from './palette-groups.ts'
import { limitParallel } from './limit-parallel.ts'
import { RECORD_FINDERS } from './record-finders.ts'

const PAUSE_MS = 150
const SHORTEST = 2
/** Maximum number of simultaneous requests, because a keyword may concern many kinds of records. */
const run = limitParallel(4)

/**
 * Returns the records that match the text, one group for each kind, each as soon as its search answers. Requests are
 * debounced, and results of an earlier text are never returned. A failed search of one kind leaves the other kinds.
 */
export function useRecordHits(text: string) {
  const typed = normalizeKeyword(text)
  const keyword = useDebounced(typed, PAUSE_MS)
  const isCurrent = keyword === typed
  const finders =
    keyword.length < SHORTEST ? [] : RECORD_FINDERS.filter(({ access, accepts }) => can(access) && accepts(keyword))
  const results = useQueries({
    queries: finders.map(({ kind, find }) => ({
      queryKey: ['palette', kind, keyword],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(keyword, signal, run),
      retry: false,
    })),
  })
  const groups: readonly HitGroup[] = finders.map(({ kind }, at) => ({
    title: kind,
    hits: results[at]?.data ?? [],
    isPending: results[at]?.isFetching === true,
  }))
  return {
    groups: isCurrent ? groups : [],
    isSearching: isCurrent ? groups.some(({ isPending }) => isPending) : typed.length >= SHORTEST,
    hasFailed: isCurrent && results.some(({ isError }) => isError),
  }
}
