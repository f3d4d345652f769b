import type { Answer } from './transport.ts'

/** Asked for at the start and not wanted by then, it is asked again. */
const FRESH_MS = 10_000

const asked = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>()

/** Reads asked for before the code that wants them had arrived. */
export function keepEarly(url: string, answer: Promise<Answer>) {
  // Whoever takes it hears of a failure; until then it is not an unhandled one.
  answer.catch(() => {})
  asked.set(url, { at: performance.now(), answer })
}

/** The early answer of an address, once. */
export function takeEarly(url: string): Promise<Answer> | undefined {
  const found = asked.get(url)
  asked.delete(url)
  return found && performance.now() - found.at < FRESH_MS ? found.answer : undefined
}
