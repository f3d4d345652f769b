import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

/**
 * Floors of each part, lowest first: name, and the lower floors that its files may import. `*` is every other folder of
 * the part. With a third element, the folders of a floor do not import each other, except the folder that the element
 * names; `''` names no folder.
 */
const PARTS: Readonly<Record<string, readonly (readonly [floor: string, below: string, shared?: string])[]>> = {
  'packages/contract/src': [
    ['core', ''],
    ['ad-engine', ''],
    ['permissions', 'core'],
    ['entities', 'core'],
    ['*', 'core ad-engine permissions entities', ''],
  ],
  'apps/server/src': [
    ['schema', ''],
    ['core', 'schema'],
    ['domain', 'schema core', ''],
    ['modules', 'schema core domain', ''],
    ['protocols', 'schema core domain', 'shared'],
    ['demo', 'schema core domain modules protocols'],
    ['main', 'schema core domain modules protocols demo'],
    ['cli', 'schema core domain modules protocols demo main'],
  ],
  'apps/console/src': [
    ['core', ''],
    ['kit', 'core'],
    ['modules', 'core kit', ''],
  ],
  e2e: [
    ['support', ''],
    ['*', 'support', ''],
  ],
}
/** Folders of other parts that a part may import. */
const ACROSS: Readonly<Record<string, readonly string[]>> = {
  'apps/server/src': ['packages/contract/src'],
  'apps/console/src': ['packages/contract/src'],
  e2e: ['packages/contract/src', 'apps/server/test/clients'],
}

/** Returns the imported file relative to the root; undefined for packages and for files that are no code. */
function resolveImport(file: string, from: string) {
  if (!/\.tsx?$/.test(from)) return
  if (from.startsWith('@oms/contract/')) return from.replace('@oms/contract', 'packages/contract/src')
  if (from.startsWith('.')) return join(dirname(file), from)
  if (!from.startsWith('#')) return
  const app = file.split('/').slice(0, 2).join('/')
  return from.startsWith('#test/') ? `${app}/${from.slice(1)}` : `${app}/src/${from.slice(1)}`
}

/** Returns why a file may not import a path, or undefined. */
function findObstacle(file: string, imported: string) {
  const part = Object.keys(PARTS).find((name) => file.startsWith(`${name}/`))!
  if (!imported.startsWith(`${part}/`)) {
    const allowed = [...(ACROSS[part] ?? []), part.replace(/src$/, 'test'), part.replace(/src$/, 'build')]
    return allowed.some((folder) => imported.startsWith(`${folder}/`)) ? undefined : 'imports another part'
  }
  if (imported.endsWith('.spec.ts')) return 'a journey imports a journey'
  const [floor = '', folder = ''] = relative(part, file).split('/')
  const [toFloor = '', toFolder = ''] = relative(part, imported).split('/')
  const floors = PARTS[part]!
  const rule = floors.find(([name]) => name === floor) ?? floors.find(([name]) => name === '*')
  if (!rule || !relative(part, file).includes('/')) return
  const [, below, shared] = rule
  if (below.split(' ').includes(toFloor)) return
  if (toFloor !== floor) return `${floor} imports ${toFloor}`
  if (shared === undefined || rule[0] === '*' || toFolder === folder || (toFolder === shared && shared !== '')) return
  return `${floor}/${folder} imports ${floor}/${toFolder}`
}

const IMPORT = /(?:^|\n)(?:import|export)\b[^'"`;]*?from '([^']+)'|\bimport\(\s*'([^']+)'\)|(?:^|\n)import '([^']+)'/g

test('a file imports only from lower floors and its own module', () => {
  const sources = Object.keys(PARTS).flatMap((part) => globSync(`${part}/**/*.{ts,tsx}`, { cwd: ROOT }))
  // A test may import every floor, because some tests start the whole product.
  const files = sources.filter((file) => !/\.test\.tsx?$/.test(file))
  const found = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].flatMap((match) => {
      const imported = resolveImport(file, match[1] ?? match[2] ?? match[3] ?? '')
      const obstacle = imported && findObstacle(file, imported)
      return obstacle ? [`${file}: ${obstacle} (${imported})`] : []
    }),
  )
  expect(files.length).toBeGreaterThan(1000)
  expect(found).toEqual([])
})

test.each([
  ['apps/server/src/core/http/a.ts', 'apps/server/src/modules/device/b.ts'],
  ['apps/server/src/domain/fleet/a.ts', 'apps/server/src/domain/tickets/b.ts'],
  ['apps/server/src/protocols/shared/a.ts', 'apps/server/src/protocols/hawkbit/b.ts'],
  ['apps/console/src/kit/list/a.tsx', 'apps/console/src/app/b.tsx'],
  ['apps/console/src/modules/device/a.tsx', 'apps/server/src/core/http/b.ts'],
  ['packages/contract/src/device/a.ts', 'packages/contract/src/ticket/b.ts'],
  ['e2e/device/a.spec.ts', 'e2e/device/b.spec.ts'],
])('%s may not import %s', (file, imported) => {
  expect(findObstacle(file, imported)).toBeDefined()
})
