import type { Services } from '#core/services.ts'

/** Milliseconds that a running completion gets after a shutdown begins. Most spoken answers are shorter. */
const FINISH_MS = 5_000
/**
 * Milliseconds that a completion gets when it arrives after the shutdown began. A proxy still sends such requests until
 * it notices the shutdown.
 */
const LATE_FINISH_MS = 2_500

/** Completions whose tokens are not counted yet. */
const unfinished = new Set<Promise<unknown>>()

/** Makes a stopping process wait until a completion has ended and its tokens are counted. */
export function trackCompletion<T>(completion: Promise<T>): Promise<T> {
  const settled = completion.then(
    () => {},
    () => {},
  )
  unfinished.add(settled)
  void settled.then(() => unfinished.delete(settled))
  return completion
}

/** Resolves when the tokens of all current completions are counted, also by a retry. */
export async function awaitCompletions() {
  while (unfinished.size > 0) await Promise.all(unfinished)
}

/** Calls `end` some seconds after a shutdown begins. Returns the function that cancels the call. */
export function scheduleShutdownEnd({ shutdown }: Pick<Services, 'shutdown'>, end: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const wait = (ms: number) => {
    timer = setTimeout(end, ms)
  }
  if (shutdown.hasBegun) wait(LATE_FINISH_MS)
  const forget = shutdown.onBegin(() => wait(FINISH_MS))
  return () => {
    forget()
    clearTimeout(timer)
  }
}
