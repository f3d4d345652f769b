/** A CSS custom property such as `--ant-color-primary`, or a literal colour. */
export type ChartColor = string

export interface ChartCategory {
  /** Label below the axis; empty: no label. */
  readonly label: string
  /** Label in the tooltip and in the table; default `label`. */
  readonly title?: string
  /** Text after the value of a row chart. */
  readonly note?: string
  /** Colour of a slice of a ring chart. */
  readonly color?: ChartColor
}

export interface ChartSeries {
  readonly name: string
  readonly color: ChartColor
  /** One value per category; null means no measurement. */
  readonly values: readonly (number | null)[]
  /** One URL per category: the list with the counted rows. */
  readonly links?: readonly (string | undefined)[]
  /** True for the values of the previous period, which are drawn as a dashed line. */
  readonly isPrevious?: boolean
}

export interface ChartData {
  /** `area` stacks its series; `heat` has one row per series; `ring` and `row` have one series. */
  readonly kind: 'line' | 'area' | 'column' | 'row' | 'ring' | 'heat'
  /** Header of the first table column. */
  readonly categoryTitle: string
  readonly categories: readonly ChartCategory[]
  readonly series: readonly ChartSeries[]
  /** Vertical lines with a label, at the index of a category. */
  readonly events?: readonly { readonly at: number; readonly name: string }[]
}

const WEEKDAYS = '日一二三四五六'
/** Returns the weekday of a date, such as `周六`; an empty text for other titles. */
export const formatWeekday = (title: string) =>
  /^\d{4}-\d\d-\d\d$/.test(title) ? `周${WEEKDAYS[new Date(title).getUTCDay()]}` : ''

/** Returns the title of a category, for a date with its weekday. */
export function findCategoryTitle({ title, label }: ChartCategory) {
  const text = title ?? label
  return `${text} ${formatWeekday(text)}`.trimEnd()
}

/** Returns the URL of a mark. A mark of zero has none, because its list would be empty. */
export const findCategoryLink = (series: ChartSeries | undefined, at: number) =>
  (series?.values[at] ?? 0) > 0 ? series?.links?.[at] : undefined

/** Returns the names in the legend: the slices of a ring chart, the series of all other charts. */
export const listLegendNames = ({ kind, categories, series }: ChartData) =>
  kind === 'ring'
    ? categories.map((category, at) => ({
        name: findCategoryTitle(category),
        color: category.color ?? series[0]?.color ?? '',
        note: series[0]?.values[at]?.toLocaleString() ?? '',
      }))
    : kind === 'heat' || series.length < 2
      ? []
      : series.map(({ name, color }) => ({ name, color, note: '' }))
