/**
 * Work of which one run is under way at a time. A call begins one, or shares the next with all who come while one is
 * under way: what was there before a call has been seen by the run it waits for. `work` must not reject.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = () => {
    running = work().then(() => {
      running = undefined
    })
    return running
  }
  return () => {
    // The next is asked for first: a run that has just ended hands over to it, and must not be overtaken.
    if (next) return next
    if (!running) return begin()
    next = running.then(() => {
      next = undefined
      return begin()
    })
    return next
  }
}
