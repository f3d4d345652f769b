import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CATALOGUE } from '@oms/contract/catalogue.ts'
import { expect, test } from 'vitest'
import { screens } from '#app/screens.ts'
import { findHelpUrl } from '#app/help-url.ts'
import { GUIDES_FOLDER, readGuides, renderHelp } from './help-pages.ts'

const ROOT = join(import.meta.dirname, '../../..')
const guides = readGuides()
const anchors = new Set(
  guides.flatMap(({ name, html }) => [
    `/help/${name}`,
    ...[...html.matchAll(/<h\d id="([^"]+)"/g)].map(([, anchor]) => `/help/${name}#${anchor}`),
  ]),
)

test('every page of the menu and every other screen opens a section of a guide', () => {
  const paths = [
    ...CATALOGUE.flatMap(({ pages }) => pages.map(({ url }) => url)),
    ...screens.map(({ path }) => path.replaceAll(/:\w+/g, '1')),
  ]
  const urls = paths.map((path) => [path, decodeURIComponent(findHelpUrl(path))] as const)
  expect(urls.filter(([, url]) => !anchors.has(url))).toEqual([])
})

test('every link of the guides leads to a page and heading, and every picture exists and is small', () => {
  const pages = [...renderHelp('<!--content-->').values()].join('')
  const links = [...pages.matchAll(/href="(\/help[^"]*)"/g)].map(([, link]) => decodeURIComponent(link!))
  expect(links.length).toBeGreaterThan(15)
  expect(links.filter((link) => link !== '/help' && !anchors.has(link))).toEqual([])
  const pictures = [...pages.matchAll(/src="\/help\/([^"]+)"/g)].map(([, path]) => path!)
  const sizes = pictures.map((path) => readFileSync(join(GUIDES_FOLDER, path)).length)
  expect(sizes.filter((size) => size > 60 * 1024)).toEqual([])
  const stored = globSync('pictures/*', { cwd: GUIDES_FOLDER })
  expect(stored.toSorted()).toEqual([...new Set(pictures)].toSorted())
})

test('every word that a guide quotes as 「…」 is a text of the console', () => {
  const sources = ['apps/console/src', 'packages/contract/src', 'apps/server/src']
    .flatMap((folder) => globSync('**/*.{ts,tsx}', { cwd: join(ROOT, folder) }).map((file) => join(ROOT, folder, file)))
    .filter((file) => !file.includes('.test.'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const isShown = (word: string) =>
    sources.includes(word) || (/^(?:新增|编辑|删除)/.test(word) && sources.includes(`"${word.slice(2)}"`))
  const quoted = guides.flatMap(({ name }) =>
    [...readFileSync(join(GUIDES_FOLDER, `${name}.md`), 'utf8').matchAll(/「([^」]+)」/g)].map(([, word]) => word!),
  )
  expect(quoted.length).toBeGreaterThan(150)
  expect([...new Set(quoted)].filter((word) => !isShown(word))).toEqual([])
})
