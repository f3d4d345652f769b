import { useEffect } from 'react'
import { chooseTheme, present, type Shade, useShade } from '#kernel/shade.ts'
import { usePreference } from '#kit/use-preference.ts'

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
