export type Run = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Returns a function that runs at most `max` tasks at the same time. Further tasks wait in the order of their calls.
 */
export function limitParallel(max: number): Run {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}
