/**
 * Returns a function that runs `work` once at a time. A call during a run shares the next run with all other waiting
 * calls. The shared run starts after the call, so it includes everything before the call. `work` must not reject.
 */
export function coalesceCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const begin = () => {
    running = work().then((result) => {
      running = undefined
      return result
    })
    return running
  }
  return () => {
    // Checks the pending run first. The run that has just ended starts the pending run, and a new call must not
    // overtake the pending run.
    if (next) return next
    if (!running) return begin()
    next = running.then(() => {
      next = undefined
      return begin()
    })
    return next
  }
}
