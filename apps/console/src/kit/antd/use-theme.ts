import { useEffect } from 'react'
import { chooseTheme, readColorScheme, type ColorScheme, useColorScheme } from '#core/theme/color-scheme.ts'
import { usePreference } from '#kit/table/use-preference.ts'

/**
 * Returns the theme, and functions that choose a theme or toggle it. '' follows the system. The choice is stored in the
 * account.
 */
export function useTheme() {
  const now = useColorScheme()
  const [kept, keep] = usePreference<ColorScheme | ''>('theme', '')
  useEffect(() => {
    if (kept && kept !== readColorScheme()) chooseTheme(kept)
  }, [kept])
  const choose = (next: ColorScheme | '') => {
    chooseTheme(next)
    keep(next)
  }
  return { isDark: now === 'dark', chosen: kept, choose, toggle: () => choose(now === 'dark' ? 'light' : 'dark') }
}
