import { useSyncExternalStore } from 'react'

/** Returns whether a media query matches; re-renders on change. */
export function useMediaQuery(query: string) {
  return useSyncExternalStore(
    (notify) => {
      const list = matchMedia(query)
      list.addEventListener('change', notify)
      return () => list.removeEventListener('change', notify)
    },
    () => matchMedia(query).matches,
  )
}

/** Screens below 992 px: shorter pagers, and the sidebar as a drawer. */
export const useIsNarrowWidth = () => useMediaQuery('(max-width: 991.98px)')
/** Windows below 800 px of height: lists are compact unless the account has chosen a density. */
export const useIsShortWindow = () => useMediaQuery('(max-height: 800px)')
/** Phones: rows are cards, and forms have one column. */
export const useIsPhoneWidth = () => useMediaQuery('(max-width: 575.98px)')
