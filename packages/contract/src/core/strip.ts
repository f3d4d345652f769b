/**
 * Removes the characters at the end of a text that match `character`, an expression for one character. Takes linear
 * time; `text.replace(/[…]+$/, '')` takes quadratic time on a long run of such characters in the middle of a text.
 */
export function trimEndMatching(text: string, character: RegExp): string {
  let end = text.length
  while (end > 0 && character.test(text[end - 1] as string)) end--
  return text.slice(0, end)
}

/** Removes the characters at the start of a text that match `character`, an expression for one character. */
export function trimStartMatching(text: string, character: RegExp): string {
  let start = 0
  while (start < text.length && character.test(text[start] as string)) start++
  return text.slice(start)
}
