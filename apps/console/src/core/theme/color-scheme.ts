import { createStore, useStore } from '#core/events/store.ts'

export type ColorScheme = 'light' | 'dark'
const KEY = 'theme'
const system = () => matchMedia('(prefers-color-scheme: dark)')
const readChosenScheme = () => {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : undefined
}
/** The user's colour scheme, or the system's by default. */
export const readColorScheme = (): ColorScheme => readChosenScheme() ?? (system().matches ? 'dark' : 'light')

const shade = createStore<ColorScheme>('light')
export const useColorScheme = () => useStore(shade)

/** Follows the system until the user chooses a colour scheme; the choice is stored in this browser. */
export function startTheme() {
  const apply = () => {
    shade.set(readColorScheme())
    document.documentElement.dataset.theme = readColorScheme()
  }
  system().addEventListener('change', apply)
  addEventListener('storage', ({ key }) => key === KEY && apply())
  apply()
}

/** Shows the colour scheme of the account before the first render, so that the page does not change its colours later. */
export function adoptTheme(theme: ColorScheme | '') {
  if (theme !== '' && theme !== readColorScheme()) chooseTheme(theme)
}

/** Sets the colour scheme and stores it in this browser, also for the login page. '' follows the system. */
export function chooseTheme(next: ColorScheme | '') {
  if (next) localStorage.setItem(KEY, next)
  else localStorage.removeItem(KEY)
  shade.set(readColorScheme())
  document.documentElement.dataset.theme = readColorScheme()
}
