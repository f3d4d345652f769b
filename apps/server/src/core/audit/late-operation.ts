import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '#core/database/client.ts'
import { isTransientError } from '#core/jobs/isolated.ts'
import {
  insertOperation,
  type OperationRow,
  buildOperationRows,
  type OperationOutcome,
  type LoggedCall,
} from './operation-log.ts'

/** Delays before the retries, in milliseconds. */
const RETRY_AFTER = [1000, 5000, 20_000] as const
/** Rows that wait for a retry in this process. */
const MAX_WAITING = 1000
let waiting = 0

interface Parts {
  readonly db: Db
  readonly log: Pick<Logger, 'error'>
}

/**
 * Writes the operation-log row of a call whose change is committed or refused already. While the database is not
 * available, the row is retried in the background. The process log names each row that was not written at once.
 */
export async function writeLateOperation(
  { db, log }: Parts,
  call: LoggedCall,
  outcome: OperationOutcome,
  delays: readonly number[] = RETRY_AFTER,
) {
  const rows = buildOperationRows(call, outcome)
  const row = namesOf(rows)
  try {
    await insertOperation(db, rows)
  } catch (err) {
    const retries = isTransientError(err) && waiting < MAX_WAITING
    log.error({ err, row }, retries ? 'operation log row not written yet, trying again' : 'operation log row lost')
    // The row keeps the time of the call.
    const operTime = new Date().toISOString()
    if (retries)
      void retry(
        { db, log },
        rows.map((each) => ({ ...each, operTime })),
        delays,
      )
  }
}

async function retry({ db, log }: Parts, rows: readonly OperationRow[], delays: readonly number[]) {
  waiting += 1
  let failure: unknown
  try {
    for (const delay of delays) {
      await wait(delay, undefined, { ref: false })
      try {
        return await insertOperation(db, rows)
      } catch (error) {
        failure = error
        if (!isTransientError(error)) break
      }
    }
    log.error({ err: failure, row: namesOf(rows) }, 'operation log row lost')
  } finally {
    waiting -= 1
  }
}

/** Returns ids and codes of a row. The process log contains no names and no input. */
function namesOf([first]: readonly OperationRow[]) {
  const { title, uid, tenantId, bizType, bizId, requestMethod, operUrl, status, traceId } = first!
  return { title, uid, tenantId, bizType, bizId, requestMethod, operUrl, status, traceId }
}
