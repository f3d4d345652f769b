import { type ConsentedTimes, MAX_VIEW_MS } from '@oms/contract/storage/consent.ts'

type Range = ConsentedTimes['list'][number]

const msOf = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`)
const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

/** Groups recorded intervals into views of at most 30 minutes. Each view begins and ends with a recording. */
export function splitIntoViewRanges(intervals: readonly Range[]): Range[] {
  const views: { from: number; to: number }[] = []
  for (const { begin, end } of intervals) {
    const to = msOf(end)
    let at = msOf(begin)
    while (at < to) {
      const last = views.at(-1)
      const limit = last ? last.from + MAX_VIEW_MS : 0
      if (last && at < limit) last.to = Math.min(to, limit)
      else views.push({ from: at, to: Math.min(to, at + MAX_VIEW_MS) })
      at = views.at(-1)?.to ?? to
    }
  }
  return views.map(({ from, to }) => ({ begin: textOf(from), end: textOf(to) }))
}
