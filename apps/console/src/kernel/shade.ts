import { storeOf, useStore } from './store.ts'

export type Shade = 'light' | 'dark'
const KEY = 'theme'
const system = () => matchMedia('(prefers-color-scheme: dark)')
const chosen = () => {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : undefined
}
/** What the person chose, or what the system has. */
export const present = (): Shade => chosen() ?? (system().matches ? 'dark' : 'light')

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
