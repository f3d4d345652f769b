/**
 * Returns a function that runs at most `running` tasks at once and lets at most `waiting` tasks wait, in their order of
 * arrival. Further tasks are rejected with the error of `overloaded`.
 */
export function limitConcurrency(running: number, waiting: number, overloaded: () => Error) {
  let active = 0
  const queue: (() => void)[] = []
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (active >= running) {
      if (queue.length >= waiting) throw overloaded()
      // A finished task starts the next waiting task in its place, so `active` stays the same.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else active += 1
    try {
      return await task()
    } finally {
      const next = queue.shift()
      if (next) next()
      else active -= 1
    }
  }
}
