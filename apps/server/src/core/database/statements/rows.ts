import type pg from 'pg'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { to } from 'pg-copy-streams'
import { readErrorCauses } from '#core/database/error-codes.ts'

/** Returns the current snapshot of the database, which states the transactions that have been committed. */
export async function readSnapshot(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot')
  return rows[0]!.snapshot
}

/**
 * Returns the condition for rows whose column `changed` names a transaction that had not been committed at the snapshot.
 * A transaction that stays open for hours does not repeat the rows of the other transactions.
 */
export function changedSince(snapshot: string) {
  const [, next, open] = /^\d{1,20}:(\d{1,20}):([\d,]*)$/.exec(snapshot) ?? []
  if (next === undefined) throw new Error(`not a snapshot: ${snapshot}`)
  return `(changed >= '${next}'::xid8 or changed = any('{${open}}'::xid8[]))`
}

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

/** SQLSTATE classes of errors that the values of a row cause: data exceptions and violated constraints. */
const DATA_CLASSES = ['22', '23']

/** True for an error that the values of a row cause, so that the same row fails again. Reads wrapped errors too. */
export function isDataError(error: unknown): boolean {
  const causes = readErrorCauses(error)
  const found = causes.find((cause) => cause.error instanceof RangeError || cause.code.length === 5)
  if (!found) return false
  return found.error instanceof RangeError || DATA_CLASSES.includes(found.code.slice(0, 2))
}

/**
 * Writes items together. After an error that a value causes, writes the two halves apart until the failing item is alone,
 * and passes that item to `drop`. Throws every other error. `write` must be atomic or safe to repeat.
 */
export async function isolateRows<Item>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<void>,
  drop: (item: Item, error: unknown) => void,
): Promise<void> {
  try {
    await write(items)
  } catch (error) {
    if (!isDataError(error)) throw error
    if (items.length === 1) return drop(items[0]!, error)
    const middle = Math.ceil(items.length / 2)
    await isolateRows(items.slice(0, middle), write, drop)
    await isolateRows(items.slice(middle), write, drop)
  }
}
