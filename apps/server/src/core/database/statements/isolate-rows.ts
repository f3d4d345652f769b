import { readErrorCauses } from '#core/database/error-codes.ts'

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
