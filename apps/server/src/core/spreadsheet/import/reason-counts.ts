import { type ImportReason, joinProblems, MAX_REPORTED_REASONS } from '@oms/contract/core/transfer.ts'

type Problem = Parameters<typeof joinProblems>[0][number]

/** Maximum number of different reasons that are counted separately. Reasons may contain values of the line. */
const MAX_COUNTED = 1000
const OTHER = '其他原因'

/** Counts refused lines by their first problem. Problems that differ only in the number of another line count as one. */
export class ReasonCounts {
  readonly #lines = new Map<string, number>()

  add([first]: readonly Problem[]) {
    if (!first) return
    const reason = joinProblems([first]).replaceAll(/第\d+行/g, '其他行')
    const isCounted = this.#lines.has(reason) || this.#lines.size < MAX_COUNTED
    const key = isCounted ? reason : OTHER
    this.#lines.set(key, (this.#lines.get(key) ?? 0) + 1)
  }

  /** Returns the reasons with their numbers of lines, most frequent first. The sum is the number of refused lines. */
  list(): ImportReason[] {
    const all = [...this.#lines].map(([msg, lines]) => ({ msg, lines })).toSorted((a, b) => b.lines - a.lines)
    if (all.length <= MAX_REPORTED_REASONS) return all
    const shown = all.filter(({ msg }) => msg !== OTHER).slice(0, MAX_REPORTED_REASONS - 1)
    const total = all.reduce((sum, { lines }) => sum + lines, 0)
    const counted = shown.reduce((sum, { lines }) => sum + lines, 0)
    return [...shown, { msg: OTHER, lines: total - counted }]
  }
}
