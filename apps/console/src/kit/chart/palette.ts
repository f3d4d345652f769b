import './palette.css'

/** Colours of chart series in their order. `palette.css` defines them for both themes. */
const CHART_COLORS = [
  '--chart-1',
  '--chart-2',
  '--chart-3',
  '--chart-4',
  '--chart-5',
  '--chart-6',
  '--chart-7',
  '--chart-8',
] as const

/** Returns the colour of the series at an index. Colours repeat after eight series. */
export const getChartColor = (at: number): string => CHART_COLORS[at % CHART_COLORS.length] ?? CHART_COLORS[0]

/** Colours of series with the same meaning on several pages. */
export const SERIES_COLORS = {
  /** The main count of a page: new tickets, opened packages, plays. */
  created: '--chart-1',
  /** Finished or working: closed tickets, renewals, activations, online devices. */
  done: '--chart-2',
  /** Waiting or ending: open tickets, expiries. */
  open: '--chart-3',
} as const

/** Converts a chart colour for a style attribute. */
export const toCssColor = (color: string) => (color.startsWith('--') ? `var(${color})` : color)
