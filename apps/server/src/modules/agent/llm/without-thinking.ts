const [START, END] = ['<think>', '</think>']

/**
 * Removes the thoughts that some models write between `<think>` and `</think>` before their answer. A thought without
 * an end lasts to the end of the text. Runs in linear time, because the text comes from a vendor.
 */
export function withoutThinking(text: string): string {
  const kept: string[] = []
  let at = 0
  for (;;) {
    const start = text.indexOf(START, at)
    kept.push(text.slice(at, start < 0 ? undefined : start))
    const end = start < 0 ? -1 : text.indexOf(END, start)
    if (end < 0) return kept.join('')
    at = end + END.length
  }
}
