import { useSyncExternalStore } from 'react'

const subscribe = (listener: () => void) => {
  document.addEventListener('fullscreenchange', listener)
  return () => document.removeEventListener('fullscreenchange', listener)
}

export function useFullScreen() {
  const on = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null)
  const toggle = () =>
    void (on ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => {})
  return { on, toggle }
}
