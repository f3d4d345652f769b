/*
 * Reads single fields from invalid JSON, such as a cut report or nested quotes. Every function runs in time linear
 * in the text length.
 */

/** Maximum length of a value: state words and numbers are shorter. */
const MAX_VALUE = 64

export interface SalvagedField {
  readonly value: string
  /** True when the text ends inside the value. */
  readonly isCut: boolean
}

/** Returns the first value of the field, a string or a number; undefined when the text has no such field. */
export function salvageField(text: string, name: string): SalvagedField | undefined {
  const from = valueStart(text, name)
  if (from === undefined) return undefined
  const isString = text[from] === '"'
  const found = (isString ? STRING : BARE).exec(text.slice(from, from + MAX_VALUE + 2))?.[1] ?? ''
  const end = from + found.length + (isString ? 1 : 0)
  return { value: found, isCut: end >= text.length }
}

/** Returns the value of a field that is complete in the text. */
export function salvageWholeField(text: string, name: string): string | undefined {
  const found = salvageField(text, name)
  return found && !found.isCut ? found.value : undefined
}

/** Returns a word in lower case. A prefix of `failure` at the end of the text counts as `failure`. */
export function salvageWord(text: string, name: string, failure: string): string {
  const { value = '', isCut = false } = salvageField(text, name) ?? {}
  const word = value.toLowerCase()
  return isCut && word !== '' && failure.startsWith(word) ? failure : word
}

const STRING = /^"([^"]*)/
const BARE = /^([^\s,}\]"]*)/

/** Returns the readable texts of the `details` list. */
export function salvageDetails(text: string): string[] {
  const from = valueStart(text, 'details')
  if (from === undefined) return []
  const list = trimCharacters(text.slice(text[from] === '[' ? from + 1 : from), LIST_MARKS)
  return list === '' ? [] : list.split(/"\s*,\s*"/)
}
const LIST_MARKS = new Set([']', '}', '"', ' ', '\n', '\r', '\t'])

function valueStart(text: string, name: string): number | undefined {
  const key = `"${name}"`
  const at = text.indexOf(key)
  if (at < 0) return undefined
  const colon = skipSpace(text, at + key.length)
  if (text[colon] !== ':') return undefined
  const from = skipSpace(text, colon + 1)
  return from < text.length ? from : undefined
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \n\r\t'.includes(text[at]!)) at += 1
  return at
}

/** Trims characters with a loop, because a regular expression anchored at the end takes quadratic time. */
function trimCharacters(text: string, marks: ReadonlySet<string>): string {
  let [from, to] = [0, text.length]
  while (from < to && marks.has(text[from]!)) from += 1
  while (to > from && marks.has(text[to - 1]!)) to -= 1
  return text.slice(from, to)
}
