import { useEffect } from 'react'
import { chooseTheme, readColorScheme, type ColorScheme, useColorScheme } from '#core/theme/color-scheme.ts'
import { usePreference } from '#kit/table/use-preference.ts'

/**
 * Returns whether the dark theme is active, and a function that toggles the theme. The choice is stored in the account.
 */
export function useTheme() {
  const now = useColorScheme()
  const [kept, keep] = usePreference<ColorScheme | ''>('theme', '')
  useEffect(() => {
    if (kept && kept !== readColorScheme()) chooseTheme(kept)
  }, [kept])
  const toggle = () => {
    const next = now === 'dark' ? 'light' : 'dark'
    chooseTheme(next)
    keep(next)
  }
  return { isDark: now === 'dark', toggle }
}
