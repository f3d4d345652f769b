import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readGuide, readReference } from './device-guide.ts'

const SOURCE = join(import.meta.dirname, '../../src')
const read = (path: string) => readFileSync(join(SOURCE, path), 'utf8')

/** Source text of all code that responds to devices. */
const source = globSync(['modules/*/wire/**/*.ts', 'modules/license/activate.ts', 'main/devices/{handler,plain}.ts'], {
  cwd: SOURCE,
})
  .filter((path) => !path.endsWith('.test.ts'))
  .map(read)
  .join('\n')

const TEXT = String.raw`(['"\`])((?:(?!\1)[^\\])*)\1`
const all = (pattern: string, text: string) => [...text.matchAll(new RegExp(pattern, 'g'))]
/** Returns the message with `…` for each inserted value. */
const fixed = (message: string) => message.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '…')

/** Returns `status message` of each error in the source. */
function listCodeResponses(): string[] {
  const errors = all(String.raw`(?:DeviceError\(|sendProblem\(response, )(\d+), (['"\`])((?:(?!\2).)*)\2`, source)
  const wrong = all(String.raw`badRequest\(\s*${TEXT}`, source).map(([, , message]) => `400 ${message}`)
  const missing = all(String.raw`(?:notFound|idFrom\([\w]+,)\s*\(?'(\w+)'\)`, source).map(
    ([, what]) => `404 no such ${what}`,
  )
  const licence = all(String.raw`answer\((\d+), [^,]+, '([^']+)'\)`, read('modules/license/activate.ts'))
  return [
    ...errors.map(([, status, , message]) => `${status} ${message}`),
    ...wrong,
    ...missing,
    ...licence.map(([, status, message]) => `${status} ${message}`),
  ]
    .map(fixed)
    .filter((response) => response !== '404 no such …')
}

/** Returns `status message` of each message in the table of responses of a document. */
function listDocumentResponses(document: string): string[] {
  const table = document.split('\n## Responses\n')[1]!.split('\n## ')[0]!
  return table.split('\n').flatMap((line) => {
    const [, status = '', messages = ''] = /^\| (\d+) \| ([^|]*) \|/.exec(line) ?? []
    return [...messages.matchAll(/`([^`]+)`/g)].map(([, message]) => `${status} ${message}`)
  })
}

test('the response tables of the device documents list exactly the statuses and messages of the code', () => {
  const ofCode = [...new Set(listCodeResponses())].sort()
  expect(ofCode.length).toBeGreaterThan(60)
  const listed = [readReference('device-protocols.md'), readGuide('ad-players.md')].flatMap(listDocumentResponses)
  expect([...new Set(listed)].sort()).toEqual(ofCode)
})

test('the table of 401 reasons in docs/reference/device-protocols.md lists exactly the reasons that are logged', () => {
  const type = /type RefusalReason =([^;]*?)\n\n/.exec(read('modules/device/wire/response.ts'))![1]!
  const reasons = [...type.matchAll(/'([^']+)'/g)].map(([, reason]) => reason)
  const table = readReference('device-protocols.md').split('\n### Reasons of 401\n')[1]!.split('\n## ')[0]!
  const listed = [...table.matchAll(/^\| `([^`]+)` \|/gm)].slice(1).map(([, reason]) => reason)
  expect(reasons.length).toBeGreaterThan(10)
  expect(listed.toSorted()).toEqual(reasons.toSorted())
})
