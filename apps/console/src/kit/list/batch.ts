import { findRefusalMessage } from '#core/api/api-error.ts'

/** One failed row of a batch. */
export interface Failure<Row> {
  readonly row: Row
  readonly reason: string
}

/** Runs an action for each row with limited concurrency; a failed row does not stop the others. */
export async function runBatch<Row>(
  rows: readonly Row[],
  each: (row: Row) => Promise<unknown>,
  onDone: (count: number) => void,
  atOnce = 4,
): Promise<Failure<Row>[]> {
  const failures: Failure<Row>[] = []
  const waiting = [...rows]
  let done = 0
  const worker = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const current = row
      await each(current).catch((error: unknown) => {
        failures.push({ row: current, reason: findRefusalMessage(error, '操作失败') })
      })
      onDone(++done)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, rows.length) }, worker))
  // Sorted in list order, independent of response order.
  return failures.sort((a, b) => rows.indexOf(a.row) - rows.indexOf(b.row))
}
