import type { TableDensity } from './table-settings.ts'
import { usePreference } from './use-preference.ts'

/** How the console looks for one account. Absent values are the defaults. */
export interface Looks {
  /** Row height of tables without a density of their own. */
  readonly density?: TableDensity
  readonly hidesTabs?: boolean
  readonly reducesMotion?: boolean
  /** Replaces green and red, which many people cannot tell apart, by blue and orange. */
  readonly isColourWeak?: boolean
}

const DEFAULTS: Looks = {}

/** Returns the looks of the account, and a function that changes them. */
export function useLooks() {
  const [looks, keep] = usePreference<Looks>('looks', DEFAULTS)
  return { looks, change: (part: Looks) => keep({ ...looks, ...part }) }
}
