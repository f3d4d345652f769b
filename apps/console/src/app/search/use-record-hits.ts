import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
import { can } from '#core/auth/session.tsx'
import { normalizeKeyword } from '#kit/list/use-keyword.ts'
import { RECORD_FINDERS } from './record-finders.ts'

const PAUSE_MS = 200
const SHORTEST = 2

/** Returns matching records, debounced. A failed record kind does not hide the others. */
export function useRecordHits(text: string) {
  const keyword = useDeferredValue(usePaused(normalizeKeyword(text)))
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

function usePaused(text: string) {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}
