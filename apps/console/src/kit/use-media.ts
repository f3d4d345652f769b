import { useSyncExternalStore } from 'react'

/** Whether a media query holds now; re-renders when that changes. */
export function useMedia(query: string) {
  return useSyncExternalStore(
    (notify) => {
      const list = matchMedia(query)
      list.addEventListener('change', notify)
      return () => list.removeEventListener('change', notify)
    },
    () => matchMedia(query).matches,
  )
}

/** Screens under 992 px: shorter pagers, the sidebar as a drawer. */
export const useNarrow = () => useMedia('(max-width: 991.98px)')
/** Phones: rows become cards, forms one column. */
export const usePhone = () => useMedia('(max-width: 575.98px)')
