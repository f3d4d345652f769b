/** Height of a chart in pixels, except charts with a row for each category. */
export const CHART_HEIGHT = 240
const ROW_HEIGHT = 30

/** Returns the height of a `row` chart in pixels. */
export const computeRowChartHeight = (rows: number) => rows * ROW_HEIGHT + 8
