/** Colours of the page from its custom properties, because a canvas does not use CSS. */
export interface ChartTheme {
  readonly text: string
  readonly grid: string
  readonly ground: string
  readonly strong: string
  readonly font: string
  /** Returns the value of a custom property; returns other colours unchanged. */
  colorOf(color: string): string
}

export function readTheme(element: Element): ChartTheme {
  const style = getComputedStyle(element)
  const colorOf = (color: string) => (color.startsWith('--') ? style.getPropertyValue(color).trim() : color)
  return {
    text: colorOf('--chart-text'),
    grid: colorOf('--chart-grid'),
    ground: colorOf('--chart-ground'),
    strong: colorOf('--chart-strong'),
    font: style.fontFamily,
    colorOf,
  }
}
