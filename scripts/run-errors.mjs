import { writeFileSync } from 'node:fs'

/**
 * Reporter of Vitest that writes the errors outside all tests to the file `RUN_ERRORS_FILE`. The JSON reporter leaves
 * them out.
 */
export default class RunErrors {
  onTestRunEnd(_modules, errors) {
    writeFileSync(process.env.RUN_ERRORS_FILE, JSON.stringify(errors.map(({ stack, message }) => stack ?? message)))
  }
}
