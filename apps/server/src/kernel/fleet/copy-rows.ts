import type pg from 'pg'
import { to } from 'pg-copy-streams'

const NULL = '\\N'
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', v: '\v' }

let copied = 0
/** Rows this process has read so, ever. */
export const rowsCopied = () => copied

/**
 * Reads a query row by row as texts (null as null), without ever holding it whole. `query` must name no value from
 * outside: COPY takes no parameters.
 */
export async function copyRows(client: pg.Client, query: string, take: (row: (string | null)[]) => void) {
  const stream = client.query(to(`copy (${query}) to stdout`))
  // Between its last row and the end of its query the connection may still break: then nobody listens any more.
  stream.on('error', () => {})
  let rest = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line.split('\t').map(valueOf))
    copied += lines.length
  }
}

function valueOf(field: string) {
  if (!field.includes('\\')) return field
  if (field === NULL) return null
  return field.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter)
}
