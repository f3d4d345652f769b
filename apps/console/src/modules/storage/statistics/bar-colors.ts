/** Background colours of package bars. White text on each of them has a contrast of at least 4.5:1. */
export const BAR_COLORS = [
  '#1d4ed8',
  '#15803d',
  '#c2410c',
  '#6d28d9',
  '#0e7490',
  '#a16207',
  '#be185d',
  '#475569',
] as const
