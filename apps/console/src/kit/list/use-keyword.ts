import { useState } from 'react'

/** Maximum keyword length that all lookups accept. */
const LONGEST = 30

/** Normalises a typed keyword; long pasted text is truncated instead of refused. */
export const normalizeKeyword = (text: string) =>
  text
    // oxlint-disable-next-line no-control-regex -- the server refuses exactly these characters
    .replaceAll(/[\u0000-\u001F\u007F]+/g, ' ')
    .trim()
    .slice(0, LONGEST)
    // Removes an incomplete surrogate pair.
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim()

/**
 * Returns the keyword of a lookup, and the function that sets the typed text. The keyword follows the text at once, so
 * that the next key press already finds the lookup fetching.
 */
export function useKeyword() {
  const [text, setText] = useState('')
  return [normalizeKeyword(text), setText] as const
}
