import { Semaphore } from './semaphore.ts'

/**
 * Returns a function that runs at most `running` tasks at once and lets at most `waiting` tasks wait, in their order of
 * arrival. Further tasks are rejected with the error of `overloaded`.
 */
export function limitConcurrency(running: number, waiting: number, overloaded: () => Error) {
  const slots = new Semaphore({ maxTaken: running, maxWaiting: waiting, overloaded })
  return async <T>(task: () => Promise<T>): Promise<T> => {
    const release = await slots.acquire()
    try {
      return await task()
    } finally {
      release()
    }
  }
}
