const HEADER = /[^\u0020-\u007E]|^(sn|mac|serial.*)$/i

/**
 * Returns the serial numbers or MACs of a text or CSV file: the first cell of every line. A first line with a title is
 * left out.
 */
export function serialsInFile(text: string): string[] {
  const cells = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => (line.split(/[,;\t]/)[0] ?? '').trim().replaceAll(/^"|"$/g, ''))
    .filter((cell) => cell !== '')
  const [first] = cells
  return [...new Set(first !== undefined && HEADER.test(first) ? cells.slice(1) : cells)]
}
