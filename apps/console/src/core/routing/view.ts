import { useEffect, useState } from 'react'
import { useSearchParams } from './router.tsx'
import { useTab } from './tab.tsx'

const MEMORY = 'view'

/**
 * Returns the view that a page shows, and a function that changes the view. The URL contains the view unless it is the
 * first one, so that a reload keeps the view. When a tab shows a page again and the URL has no query, the last view of
 * the page and its query are restored.
 */
export function useView(first: string) {
  const [params, setParams] = useSearchParams()
  const { memory } = useTab()
  const [resumed, setResumed] = useState(() => {
    const last = memory.get(MEMORY) as string | undefined
    return params.size === 0 && last ? last : undefined
  })
  const shown = params.size === 0 && resumed !== undefined ? new URLSearchParams(resumed) : params
  const view = shown.get('view') ?? first
  const query = view === first ? '' : shown.toString()
  if (resumed !== undefined && params.size > 0) setResumed(undefined)
  useEffect(() => {
    if (resumed !== undefined) setParams(resumed, { replace: true })
  }, [resumed, setParams])
  useEffect(() => void memory.set(MEMORY, query), [memory, query])
  const setView = (next: string) => {
    setResumed(undefined)
    setParams(next === first ? '' : `view=${next}`)
  }
  return [view, setView] as const
}
