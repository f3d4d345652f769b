import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

/**
 * The modules in their order. A module imports only modules before it, on the server only through their `index.ts`. `home`
 * shows all of them.
 */
const MODULES = [
  'account',
  'system',
  'tenant',
  'integration',
  'device',
  'upgrade',
  'license',
  'ticket',
  'storage',
  'advertise',
  'agent',
  'home',
]

/** Folders of each part, lowest first: a file imports only from its own folder and from folders before it. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'packages/contract/src': ['core', ...MODULES],
  'apps/server/src': ['core', ...MODULES.map((name) => `modules/${name}`), 'demo', 'main', 'cli'],
  'apps/console/src': ['core', 'kit', ...MODULES.map((name) => `modules/${name}`)],
  e2e: ['support', '*'],
}
/** Parts whose modules do not import each other at all. */
const SEPARATE_MODULES = ['apps/console/src', 'e2e']

/**
 * Files that other modules import directly: doors, tables, and the devices. The door of the devices would close a circle,
 * because a transfer of devices asks later modules.
 */
const HAS_NO_DOOR = /\/(index|schema[\w-]*)\.ts$|\/schema\/|\/modules\/device\//

/**
 * Imports of a later module, each with its reason. The composed services of the device calls are created in `main`, and
 * calls receive them as a parameter.
 */
const EXCEPTIONS: readonly (readonly [from: string, imported: string, reason: string])[] = [
  ['/modules/', 'main/devices/device-services.ts', 'the type of the parameter'],
  ['modules/device/', 'modules/upgrade/schema', 'the lists show versions, tasks and allowlists'],
  ['modules/device/model-choices.ts', 'modules/agent/schema/', 'counts the voice devices of a model'],
  [
    'modules/device/device-batch.ts',
    'modules/',
    'a transfer asks for upgrades and agents, and changes licence and grants',
  ],
  ['modules/system/file.ts', 'modules/', 'decides who reads a file by its record'],
  ['modules/system/dict-data.ts', 'modules/upgrade/', 'counts the use of an entry'],
  ['modules/tenant/overview', 'modules/', 'the overview of a customer shows all modules'],
  ['modules/tenant/tenant', 'modules/device/', 'the state of a tenant changes the fleet index'],
  ['modules/storage/package-store.ts', 'modules/agent/schema/', 'the type of its tables'],
]
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

/** Returns the position of a file in the folders of its part; undefined for files directly in the part. */
function findFloor(part: string, file: string) {
  const path = relative(part, file)
  const found = PARTS[part]!.findIndex((folder) => path.startsWith(`${folder}/`))
  return found >= 0 ? found : path.includes('/') ? PARTS[part]!.indexOf('*') : undefined
}

/** Returns why a file may not import a path, or undefined. */
function findObstacle(file: string, imported: string) {
  const part = Object.keys(PARTS).find((name) => file.startsWith(`${name}/`))!
  if (!imported.startsWith(`${part}/`)) {
    const allowed = [...(ACROSS[part] ?? []), part.replace(/src$/, 'test'), part.replace(/src$/, 'build')]
    return allowed.some((folder) => imported.startsWith(`${folder}/`)) ? undefined : 'imports another part'
  }
  if (imported.endsWith('.spec.ts')) return 'a journey imports a journey'
  const [from, to] = [findFloor(part, file), findFloor(part, imported)]
  if (from === undefined || to === undefined || from === -1) return
  const isOther = isOtherModule(part, file, imported)
  const isPastDoor = part === 'apps/server/src' && isOther && !HAS_NO_DOOR.test(imported)
  if (to <= from && !isPastDoor && !(isOther && SEPARATE_MODULES.includes(part))) return
  const isExpected = EXCEPTIONS.some(([each, target]) => file.includes(each) && imported.includes(target))
  return isExpected ? undefined : to > from ? 'imports a later module' : 'imports past the door of a module'
}

/** Returns true when both files belong to modules, or to areas of the journeys, and these differ. */
function isOtherModule(part: string, file: string, imported: string) {
  const folderOf = (path: string) => /^(?:modules\/)?([^/]+)\//.exec(relative(part, path))?.[0] ?? ''
  const isModule = (folder: string) => folder.startsWith('modules/') || part === 'e2e'
  const [from, to] = [folderOf(file), folderOf(imported)]
  return from !== to && isModule(from) && isModule(to) && to !== 'support/'
}

const IMPORT = /(?:^|\n)(?:import|export)\b[^'"`;]*?from '([^']+)'|\bimport\(\s*'([^']+)'\)|(?:^|\n)import '([^']+)'/g

test('a file imports only from earlier folders and its own module', () => {
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

test('the S3 client, a seventh of the program, is loaded only for a configured bucket', () => {
  const client = /^@aws-sdk\/|s3-(?:bucket|media)\.ts$/
  const files = globSync('apps/server/src/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
  const found = files.filter((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^import (?!type)[^'"`;]*?from '([^']+)'/gm)].some(
      ([, from = '']) => client.test(from),
    ),
  )
  expect(found.toSorted()).toEqual(
    ['core/media/s3-media.ts', 'core/storage/s3/s3-bucket.ts'].map((file) => `apps/server/src/${file}`),
  )
})

test.each([
  ['apps/server/src/core/http/a.ts', 'apps/server/src/modules/device/b.ts'],
  ['apps/server/src/modules/device/a.ts', 'apps/server/src/modules/ticket/b.ts'],
  ['apps/server/src/modules/storage/a.ts', 'apps/server/src/modules/ticket/b.ts'],
  ['apps/server/src/modules/ticket/wire/a.ts', 'apps/server/src/main/devices/b.ts'],
  ['apps/console/src/kit/list/a.tsx', 'apps/console/src/modules/device/b.tsx'],
  ['apps/console/src/modules/ticket/a.tsx', 'apps/console/src/modules/device/b.tsx'],
  ['apps/console/src/modules/device/a.tsx', 'apps/server/src/core/http/b.ts'],
  ['packages/contract/src/device/a.ts', 'packages/contract/src/ticket/b.ts'],
  ['e2e/device/a.spec.ts', 'e2e/device/b.spec.ts'],
])('%s may not import %s', (file, imported) => {
  expect(findObstacle(file, imported)).toBeDefined()
})
