import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'oms-floors-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Floors that a file must not import by their alias: the floors above it, and its own floor where modules are separate. */
const REFUSED_FLOORS = [
  ['apps/server/src/schema/a.ts', 'core domain modules protocols demo main cli'],
  ['apps/server/src/core/http/a.ts', 'domain modules protocols demo main cli'],
  ['apps/server/src/core/http/a.test.ts', 'domain modules protocols demo main cli'],
  ['apps/server/src/domain/fleet/a.ts', 'domain modules protocols demo main cli'],
  ['apps/server/src/domain/agents/devices/a.ts', 'domain modules protocols demo main cli'],
  ['apps/server/src/modules/device/a.ts', 'modules protocols demo main cli'],
  ['apps/server/src/modules/agent/devices/a.ts', 'modules protocols demo main cli'],
  ['apps/server/src/protocols/hawkbit/a.ts', 'modules demo main cli'],
  ['apps/server/src/protocols/xiaozhi/relay/a.ts', 'modules demo main cli'],
  ['apps/server/src/demo/a.ts', 'main cli'],
  ['apps/server/src/main/a.ts', 'cli'],
  ['apps/console/src/core/api/a.ts', 'kit modules app'],
  ['apps/console/src/kit/list/a.tsx', 'modules app'],
  ['apps/console/src/modules/device/a.tsx', 'modules app'],
  ['apps/console/src/modules/agent/devices/a.tsx', 'modules app'],
] as const

/** Other forbidden imports: the importing file and the imported path. */
const FORBIDDEN = [
  ['apps/server/src/schema/a.ts', '../core/b.ts'],
  ['apps/server/src/core/http/a.ts', '../auth/b.ts'],
  ['apps/server/src/domain/fleet/a.ts', '../tickets/b.ts'],
  ['apps/server/src/domain/agents/devices/a.ts', '../../tickets/b.ts'],
  ['apps/server/src/modules/device/a.ts', '../ticket/b.ts'],
  ['apps/server/src/modules/agent/devices/a.ts', '../../ticket/b.ts'],
  ['apps/server/src/protocols/hawkbit/a.ts', '../plain/b.ts'],
  ['apps/server/src/protocols/hawkbit/a.ts', '#protocols/plain/b.ts'],
  ['apps/server/src/protocols/xiaozhi/relay/a.ts', '../../plain/b.ts'],
  ['apps/server/src/demo/a.ts', '../main/b.ts'],
  ['apps/server/src/main/a.ts', '../cli/b.ts'],
  ['apps/console/src/core/api/a.ts', '../auth/b.ts'],
  ['apps/console/src/kit/list/a.tsx', '../table/b.tsx'],
  ['apps/console/src/modules/device/a.tsx', '../ticket/b.tsx'],
  ['apps/console/src/modules/agent/devices/a.tsx', '../../ticket/b.tsx'],
  ['packages/contract/src/core/a.ts', '../entities/b.ts'],
  ['packages/contract/src/core/a.ts', '../device/b.ts'],
  ['packages/contract/src/entities/a.ts', '../permissions/b.ts'],
  ['packages/contract/src/entities/a.ts', '../device/b.ts'],
  ['packages/contract/src/permissions/a.ts', '../entities/b.ts'],
  ['packages/contract/src/permissions/a.ts', '../device/b.ts'],
  ['packages/contract/src/device/a.ts', '../ticket/b.ts'],
  ['packages/contract/src/agent/devices/a.ts', '../../ticket/b.ts'],
  ['packages/contract/src/ad-engine/a.ts', '../core/b.ts'],
  ['packages/contract/src/ad-engine/vectors/a.ts', '../../core/b.ts'],
  ['e2e/device/a.spec.ts', './b.spec.ts'],
  ['e2e/device/a.spec.ts', '../ticket/b.spec.ts'],
  ['e2e/device/a.spec.ts', '../ticket/b.ts'],
  ['e2e/device/a.spec.ts', '../../apps/server/src/core/http/b.ts'],
  ['e2e/device/a.spec.ts', '../../apps/console/src/kit/list/b.ts'],
  ['e2e/device/a.ts', './b.spec.ts'],
  ['e2e/support/a.ts', '../device/b.ts'],
  ['e2e/support/a.ts', '../device/b.spec.ts'],
  ['e2e/support/a.ts', '../../apps/server/src/core/http/b.ts'],
] as const

const ALLOWED = [
  ['apps/server/src/core/http/c.ts', '#schema/b.ts'],
  ['apps/server/src/domain/fleet/c.ts', '#core/http/b.ts'],
  ['apps/server/src/modules/device/c.ts', '#domain/fleet/b.ts'],
  ['apps/server/src/protocols/hawkbit/c.ts', '#protocols/shared/b.ts'],
  ['apps/console/src/modules/device/c.tsx', '#kit/list/b.tsx'],
  ['packages/contract/src/device/c.ts', '../entities/b.ts'],
  ['packages/contract/src/advertise/c.ts', '../ad-engine/b.ts'],
  ['apps/server/src/domain/agents/devices/c.ts', '../models/b.ts'],
  ['apps/server/src/modules/agent/devices/c.ts', '../models/b.ts'],
  ['apps/server/src/protocols/xiaozhi/relay/c.ts', '../tools/b.ts'],
  ['apps/console/src/modules/agent/devices/c.tsx', '../models/b.tsx'],
  ['packages/contract/src/agent/devices/c.ts', '../models/b.ts'],
  ['packages/contract/src/agent/devices/c.ts', '../../core/b.ts'],
  ['packages/contract/src/ad-engine/vectors/c.ts', '../manifest.ts'],
  ['e2e/device/c.spec.ts', './b.ts'],
  ['e2e/device/c.spec.ts', '../support/b.ts'],
  ['e2e/device/c.spec.ts', '../../apps/server/test/clients/b.ts'],
  ['e2e/device/c.spec.ts', '@oms/contract/core/b.ts'],
  ['e2e/support/c.ts', './b.ts'],
] as const

const lint = () =>
  spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['--format=unix'], { cwd: folder, encoding: 'utf8' }).stdout
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
/** Returns a distinct path per case: `device/a.ts` becomes `device/a-7.ts`. */
const numbered = (file: string, index: number) => file.replace(/(?=(\.test)?\.tsx?$)/, `-${index}`)
const protocols = readdirSync(join(ROOT, 'apps/server/src/protocols')).filter((name) => name !== 'shared')
const toProtocols = ['shared/d.ts', 'shared/releases/d.ts'].flatMap((file) =>
  protocols.map((name) => [`apps/server/src/protocols/${file}`, `#protocols/${name}/b.ts`] as const),
)
const toFloors = REFUSED_FLOORS.flatMap(([file, floors]) =>
  floors.split(' ').map((floor) => [file, `#${floor}/other/b.ts`] as const),
)
const forbidden = [...toFloors, ...FORBIDDEN, ...toProtocols].map(
  ([file, from], index) => [numbered(file, index), from] as const,
)
/** Rules of the linter about imports, each for some files. The last rule that matches a file applies. */
const rules = (
  JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')) as {
    overrides: { files: string[]; rules: Record<string, unknown> }[]
  }
).overrides.filter((each) => JSON.stringify(each.rules['no-restricted-imports'] ?? '').includes('patterns'))

let refused = ''
beforeAll(() => {
  const config = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')) as { jsPlugins: string[] }
  const jsPlugins = config.jsPlugins.map((path) => join(ROOT, path))
  write('.oxlintrc.json', JSON.stringify({ ...config, jsPlugins }))
  for (const [file, from] of [...forbidden, ...ALLOWED])
    write(file, `import { b } from '${from}'\nexport const a = b\n`)
  write('apps/server/src/core/cycle/one.ts', "import { two } from './two.ts'\nexport const one = () => two\n")
  write('apps/server/src/core/cycle/two.ts', "import { one } from './one.ts'\nexport const two = () => one\n")
  write('bench/folder.ts', "import { mkdtempSync } from 'node:fs'\nexport const make = mkdtempSync\n")
  refused = lint()
})

const refusalsOf = (file: string) => refused.split('\n').filter((line) => line.startsWith(`${file}:`))

test.each(forbidden)('lint refuses %s importing %s', (file) => {
  expect(refusalsOf(file).join()).toContain('no-restricted-imports')
})

test.each(ALLOWED)('lint accepts %s importing %s', (file) => {
  expect(refusalsOf(file)).toEqual([])
})

test('every import rule of the lint has a forbidden import in this test', () => {
  const applied = forbidden.map(([file]) =>
    rules.findLast(({ files }) => files.some((glob) => matchesGlob(file, glob))),
  )
  const untested = rules.filter((rule) => !applied.includes(rule))
  expect(rules.length).toBeGreaterThan(20)
  expect(untested.map(({ files }) => files)).toEqual([])
})

test('lint refuses an import cycle', () => {
  expect(refusalsOf('apps/server/src/core/cycle/one.ts').join()).toContain('no-cycle')
})

test('lint refuses a bench that creates directories which remain when the bench is interrupted', () => {
  expect(refusalsOf('bench/folder.ts').join()).toContain('no-restricted-imports')
})

test("main.ts is the only file at the top of the server's source folder", () => {
  const loose = readdirSync(join(ROOT, 'apps/server/src'), { withFileTypes: true }).filter((entry) => entry.isFile())
  expect(loose.map(({ name }) => name)).toEqual(['main.ts'])
})

test('no folder holds many more than 25 files', () => {
  const roots = [
    'apps/server/src',
    'apps/server/test',
    'apps/console/src',
    'apps/console/build',
    'packages/contract/src',
  ]
  const folders = [...roots, 'bench', 'docs', 'e2e', 'scripts'].flatMap((root) => [
    root,
    ...readdirSync(join(ROOT, root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
  ])
  const counts = folders.map((path) => ({
    path,
    files: readdirSync(join(ROOT, path), { withFileTypes: true }).filter((entry) => entry.isFile()).length,
  }))
  expect(counts.filter(({ files }) => files > 28)).toEqual([])
})
