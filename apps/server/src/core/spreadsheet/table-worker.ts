import { parentPort, workerData } from 'node:worker_threads'
import { type TableThreadResponse, type TableThreadInput, type TableRow, UnreadableTableError } from './table-thread.ts'
import { openTable } from './table-reader.ts'

/** Maximum rows and characters of one message, so that the receiving thread is not blocked noticeably. */
const ROWS_AT_ONCE = 500
const CHARACTERS_AT_ONCE = 256 * 1024

const respond = (message: TableThreadResponse) => parentPort?.postMessage(message)

async function read({ bytes, name, limits }: TableThreadInput) {
  const { header, rows } = await openTable(bytes, name, limits)
  respond({ header })
  parentPort?.on('message', () => {
    nextRows(rows).then((list) => respond({ rows: list }), fail)
  })
}

async function nextRows(rows: AsyncGenerator<TableRow>): Promise<TableRow[]> {
  const list: TableRow[] = []
  let characters = 0
  while (list.length < ROWS_AT_ONCE && characters < CHARACTERS_AT_ONCE) {
    const { done, value } = await rows.next()
    if (done) break
    list.push(value)
    for (const cell of value.cells) characters += cell.length
  }
  return list
}

function fail(error: unknown) {
  if (error instanceof UnreadableTableError) respond({ unreadable: error.message })
  else respond({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) })
}

read(workerData as TableThreadInput).catch(fail)
