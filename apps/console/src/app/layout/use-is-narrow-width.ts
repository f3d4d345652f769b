import { useSyncExternalStore } from 'react'

/** Returns whether the window is narrower than 992 px, where the sidebar is a drawer. */
const narrow = matchMedia('(max-width: 991.98px)')
const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}
export const useIsNarrowWidth = () => useSyncExternalStore(subscribe, () => narrow.matches)
