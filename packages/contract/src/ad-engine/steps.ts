/** A calculation in steps. A server may do other work after each step. */
export type Steps<Result> = Generator<void, Result>

/** Runs all steps without yielding to other work, and returns the result. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
