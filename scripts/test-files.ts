/**
 * Returns the glob of the test files with this name suffix for the current run. `npm test` leaves out the deep tests
 * (`*.deep.test.ts`, `*.deep.browser.test.tsx`, `*.deep.spec.ts`), and `npm run test:deep` runs only these. A command
 * that names files runs files of both kinds.
 */
export function testFiles(ending: string): string {
  const depth = process.env['TEST_DEPTH']
  if (depth === 'deep') return `*.deep.${ending}`
  return depth === 'quick' ? `!(*.deep).${ending}` : `*.${ending}`
}
