import { diffArrays } from 'diff'

/** Part of a compared text. */
export interface DiffPart {
  readonly text: string
  /** True when the other text does not contain this part at this position. */
  readonly isChanged: boolean
}

/** Time limit of the comparison in milliseconds. Above this time, both texts are returned without difference marks. */
const TIMEOUT = 200
const words = new Intl.Segmenter('zh', { granularity: 'word' })
const wordsOf = (text: string) => Array.from(words.segment(text), ({ segment }) => segment)

/** Returns the pieces of both texts, word by word. Two texts with nothing in common are unmarked. */
export function diffTexts(from: string, to: string): readonly [readonly DiffPart[], readonly DiffPart[]] {
  const changes = diffArrays(wordsOf(from), wordsOf(to), { timeout: TIMEOUT })
  if (!changes?.some(({ added, removed }) => !added && !removed)) return [whole(from), whole(to)]
  const side = (other: 'added' | 'removed') =>
    changes
      .filter((change) => !change[other])
      .map(({ value, added, removed }) => ({ text: value.join(''), isChanged: Boolean(added || removed) }))
  return [side('added'), side('removed')]
}

const whole = (text: string) => [{ text, isChanged: false }]
