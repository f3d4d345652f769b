/** A measured figure with its limit. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The limit: at most or at least this value. */
  readonly bar: number
  readonly better: 'less' | 'more'
}

const passes = ({ value, bar, better }: Figure) => (better === 'less' ? value <= bar : value >= bar)

/** Prints one line per figure: name, value, limit, ok or miss. */
export function print(figure: Figure) {
  const { name, value, unit, bar, better } = figure
  const shown = value >= 100 ? value.toFixed(0) : value.toPrecision(3)
  const sign = better === 'less' ? '≤' : '≥'
  process.stdout.write(
    `${passes(figure) ? 'ok  ' : 'MISS'}  ${name}: ${shown} ${unit} (${sign} ${bar} ${unit})\n`.replaceAll('  )', ')'),
  )
}

/** Prints a line without a limit: context such as the machine's own speed. */
export const remark = (text: string) => process.stdout.write(`      ${text}\n`)

export const median = (values: readonly number[]) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
