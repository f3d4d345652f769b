import { saveBlob } from '#core/api/download.ts'

const quote = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
/** Replaces characters that file names of Windows must not contain. */
const toFileName = (text: string) => text.replaceAll(/[\\/:*?"<>|\r\n]/g, '_')

/** Saves a table of secrets as a CSV file. The byte order mark makes Excel read UTF-8. */
export function saveSecretTable(name: string, header: readonly string[], rows: readonly (readonly string[])[]) {
  const lines = [header, ...rows].map((row) => row.map(quote).join(','))
  saveBlob(new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv' }), `${toFileName(name)}.csv`)
}

/** Saves a secret with its owner as a text file. Each line is a title and a value. */
export function saveSecretText(name: string, lines: readonly (readonly [title: string, value: string])[]) {
  const text = lines.map(([title, value]) => `${title}：${value}\r\n`).join('')
  saveBlob(new Blob([`\ufeff${text}`], { type: 'text/plain' }), `${toFileName(name)}.txt`)
}
