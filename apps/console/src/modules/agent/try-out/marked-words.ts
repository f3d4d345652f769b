/** A part of an answer. */
interface MarkedPart {
  readonly text: string
  /** Index in the answer. */
  readonly at: number
  readonly isWord: boolean
}

/** Returns a function that finds the first of the words at or after an index. The longest word takes precedence. */
function finderOf(answer: string, words: readonly string[]) {
  const said = answer.toLowerCase()
  const wanted = words
    .map((word) => ({ word: word.toLowerCase(), at: -1 }))
    .sort((a, b) => b.word.length - a.word.length)
  return (from: number) => {
    for (const each of wanted) {
      if (each.at >= from) continue
      const found = said.indexOf(each.word, from)
      each.at = found === -1 ? Infinity : found
    }
    const first = Math.min(Infinity, ...wanted.map(({ at }) => at))
    const { word = '' } = wanted.find(({ at }) => at === first) ?? {}
    return { at: Math.min(first, answer.length), length: first === Infinity ? 0 : word.length }
  }
}

/** Splits an answer at the words to mark, ignoring case. Longer words take precedence. */
export function splitAtMarkedWords(answer: string, words: readonly string[]): MarkedPart[] {
  const find = finderOf(answer, words)
  const parts: MarkedPart[] = []
  const add = (at: number, end: number, isWord: boolean) => {
    if (end > at) parts.push({ text: answer.slice(at, end), at, isWord })
  }
  for (let from = 0; from < answer.length; ) {
    const { at, length } = find(from)
    add(from, at, false)
    add(at, at + length, true)
    from = at + length
  }
  return parts
}
