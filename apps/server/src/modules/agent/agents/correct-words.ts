/**
 * Corrects recognised words as the voice server does: replaces every `from` of a line `from|to`, in the order of the
 * lines.
 */
export function applyWordCorrections(text: string, lines: readonly string[]): string {
  let corrected = text
  for (const line of lines) {
    const [from = '', to = ''] = line.split('|', 2)
    if (from !== '') corrected = corrected.replaceAll(from, () => to)
  }
  return corrected
}
