/** A calculation in steps: a server may do other work after each of them. */
export type Steps<Result> = Generator<void, Result>

/** Runs all steps without a break. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
