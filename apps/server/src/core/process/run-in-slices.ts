const SLICE_MS = 15

/** Runs a calculation to its end. Other work of the process runs whenever the calculation has used 15 ms. */
export async function runInSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const until = performance.now() + SLICE_MS
    do {
      const { done, value } = steps.next()
      if (done) return value
    } while (performance.now() < until)
    await new Promise((resume) => setImmediate(resume))
  }
}
