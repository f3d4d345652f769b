import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '..')
/** Stylesheets of documents of their own, which are never loaded together with the console. */
const OWN_DOCUMENT = /^player\//

/** Splits a list of selectors at its commas, but not inside of `:is(…)`. */
function splitList(list: string) {
  let depth = 0
  return [...list]
    .map((character) => {
      depth += character === '(' ? 1 : character === ')' ? -1 : 0
      return character === ',' && depth === 0 ? '\0' : character
    })
    .join('')
    .split('\0')
}

/** Returns the selectors outside of at-rules. */
function selectorsOf(css: string) {
  let depth = 0
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .split(/(?<=[{}])/)
    .flatMap((part) => {
      const isTop = depth === 0 && part.endsWith('{') && !part.trimStart().startsWith('@')
      depth += part.endsWith('{') ? 1 : part.endsWith('}') ? -1 : 0
      return isTop ? splitList(part.slice(0, -1)).map((selector) => selector.trim().replaceAll(/\s+/g, ' ')) : []
    })
}

test('no selector is in two style sheets, because the sheet loaded last would change the other page', () => {
  const files = globSync('**/*.css', { cwd: SOURCE }).filter((file) => !OWN_DOCUMENT.test(file))
  expect(files.length).toBeGreaterThan(20)
  const filesOf = Map.groupBy(
    files.flatMap((file) =>
      [...new Set(selectorsOf(readFileSync(join(SOURCE, file), 'utf8')))].map((selector) => ({ file, selector })),
    ),
    ({ selector }) => selector,
  )
  const repeated = [...filesOf].flatMap(([selector, places]) =>
    places.length > 1 ? [`${selector}: ${places.map(({ file }) => file).join(', ')}`] : [],
  )
  expect(repeated).toEqual([])
})
