import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const FOLDERS = ['apps/console/src', 'apps/server/src', 'packages/contract/src']
const ROOT = join(import.meta.dirname, '../../..')
/** A shown percentage that is rounded where it is shown: `${(x * 100).toFixed(1)}%`, `Math.round(x * 100)}%`. */
const ROUNDED = /(?:toFixed\(\d\)|Math\.(?:round|floor|ceil)\([^{}]*\))\}%/g
/** A percentage with one decimal: `Math.round((a / b) * 1000) / 10`. */
const ONE_DECIMAL = /\* 1000\) \/ 10\b/g

test('FORMAT-02 every percentage is rounded by the shared functions, to two decimals', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
      .map((file) => join(folder, file)),
  )
  const found = files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8')
    return [ROUNDED, ONE_DECIMAL].flatMap((pattern) =>
      [...source.matchAll(pattern)].map(([text]) => `${file}: ${text}`),
    )
  })
  expect(found).toEqual([])
})
