import { useEffect } from 'react'
import { storeOf, useStore } from '#kernel/store.ts'
import { usePreference } from '#kit/use-preference.ts'
import type { Shade } from './look.ts'

const KEY = 'theme'
const system = () => matchMedia('(prefers-color-scheme: dark)')
const chosen = () => {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : undefined
}
const present = (): Shade => chosen() ?? (system().matches ? 'dark' : 'light')

const shade = storeOf<Shade>('light')
export const useShade = () => useStore(shade)

/** Follows the system until the person chooses; the choice is kept in this browser. */
export function startTheme() {
  const apply = () => {
    shade.set(present())
    document.documentElement.dataset.theme = present()
  }
  system().addEventListener('change', apply)
  addEventListener('storage', ({ key }) => key === KEY && apply())
  apply()
}

/** Shows this theme from now on; this browser remembers it, also for its login page. */
export function chooseTheme(next: Shade) {
  localStorage.setItem(KEY, next)
  shade.set(next)
  document.documentElement.dataset.theme = next
}

/** The theme in use and how to change it; the choice goes with the account to other browsers. */
export function useTheme() {
  const now = useShade()
  const [kept, keep] = usePreference<Shade | ''>('theme', '')
  useEffect(() => {
    if (kept && kept !== present()) chooseTheme(kept)
  }, [kept])
  const toggle = () => {
    const next = now === 'dark' ? 'light' : 'dark'
    chooseTheme(next)
    keep(next)
  }
  return { isDark: now === 'dark', toggle }
}
