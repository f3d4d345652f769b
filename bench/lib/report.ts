/** One measured figure against its bar. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The bar: at most or at least this. */
  readonly bar: number
  readonly better: 'less' | 'more'
}

const passes = ({ value, bar, better }: Figure) => (better === 'less' ? value <= bar : value >= bar)

/** Prints one line a figure: name, value, bar, ok or miss. */
export function print(figure: Figure) {
  const { name, value, unit, bar, better } = figure
  const shown = value >= 100 ? value.toFixed(0) : value.toPrecision(3)
  const sign = better === 'less' ? '≤' : '≥'
  process.stdout.write(
    `${passes(figure) ? 'ok  ' : 'MISS'}  ${name}: ${shown} ${unit} (${sign} ${bar} ${unit})\n`.replaceAll('  )', ')'),
  )
}

/** A line without a bar: what the machine did beside it, for the reader to judge by. */
export const remark = (text: string) => process.stdout.write(`      ${text}\n`)

export const median = (values: readonly number[]) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
