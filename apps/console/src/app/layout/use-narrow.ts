import { useSyncExternalStore } from 'react'

/** Under 992 px the sidebar becomes a drawer. */
const narrow = matchMedia('(max-width: 991.98px)')
const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}
export const useNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches)
