import { useDeferredValue, useState } from 'react'

/** The shortest keyword any of our lookups takes whole. */
const LONGEST = 30

/** What is asked for when this is typed: a pasted page is cut instead of refused, and finds what its beginning names. */
export const keywordOf = (text: string) =>
  text
    // oxlint-disable-next-line no-control-regex -- exactly these are refused by the server
    .replaceAll(/[\u0000-\u001F\u007F]+/g, ' ')
    .trim()
    .slice(0, LONGEST)
    // Half a character is none.
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim()

/** The keyword of a lookup that asks the server as one types, and what takes the text typed. */
export function useKeyword() {
  const [text, setText] = useState('')
  return [useDeferredValue(keywordOf(text)), setText] as const
}
