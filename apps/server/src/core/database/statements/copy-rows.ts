import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import { to } from 'pg-copy-streams'

const NULL = '\\N'
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', v: '\v' }

let copied = 0
/** Returns the number of rows that this process has copied since its start. */
export const readCopiedRowCount = () => copied

/**
 * Streams the rows of a query as texts (null as null) without holding the whole result in memory. `query` must
 * contain no external value, because COPY accepts no parameters.
 */
export async function copyRows(client: pg.Client, query: string, take: (row: (string | null)[]) => void) {
  const stream = client.query(to(`copy (${query}) to stdout`))
  // The connection can fail between the last row and the end of the query, after the listeners were removed.
  stream.on('error', () => {})
  let rest = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line.split('\t').map(valueOf))
    copied += lines.length
    // Yields the CPU so that waiting calls are served before the next rows are copied.
    await nextTurn()
  }
}

function valueOf(field: string) {
  if (!field.includes('\\')) return field
  if (field === NULL) return null
  return field.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter)
}
