import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'oms-floors-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Forbidden imports: the importing file and the imported path. */
const FORBIDDEN = [
  ['apps/server/src/schema/a.ts', '#core/b.ts'],
  ['apps/server/src/schema/a.ts', '#modules/device/b.ts'],
  ['apps/server/src/core/http/a.ts', '#domain/fleet/b.ts'],
  ['apps/server/src/core/http/a.test.ts', '#modules/device/b.ts'],
  ['apps/server/src/core/http/a.ts', '../auth/b.ts'],
  ['apps/server/src/domain/fleet/a.ts', '#domain/tickets/b.ts'],
  ['apps/server/src/domain/fleet/a.ts', '#modules/device/b.ts'],
  ['apps/server/src/domain/fleet/a.ts', '#protocols/shared/b.ts'],
  ['apps/server/src/modules/device/a.ts', '#modules/ticket/b.ts'],
  ['apps/server/src/modules/device/a.ts', '../ticket/b.ts'],
  ['apps/server/src/modules/device/a.ts', '#protocols/shared/b.ts'],
  ['apps/server/src/modules/device/a.ts', '#main/b.ts'],
  ['apps/server/src/protocols/hawkbit/a.ts', '#modules/device/b.ts'],
  ['apps/server/src/protocols/hawkbit/a.ts', '#protocols/plain/b.ts'],
  ['apps/server/src/protocols/shared/a.ts', '#protocols/hawkbit/b.ts'],
  ['apps/server/src/demo/a.ts', '#main/b.ts'],
  ['apps/server/src/main/a.ts', '#cli/b.ts'],
  ['apps/console/src/core/api/a.ts', '#kit/list/b.ts'],
  ['apps/console/src/core/api/a.ts', '../auth/b.ts'],
  ['apps/console/src/kit/list/a.tsx', '#modules/device/b.tsx'],
  ['apps/console/src/kit/list/a.tsx', '#app/b.tsx'],
  ['apps/console/src/modules/device/a.tsx', '#modules/ticket/b.tsx'],
  ['apps/console/src/modules/device/a.tsx', '#app/b.tsx'],
  ['packages/contract/src/core/a.ts', '../entities/b.ts'],
  ['packages/contract/src/entities/a.ts', '../permissions/b.ts'],
  ['packages/contract/src/permissions/a.ts', '../device/b.ts'],
  ['packages/contract/src/device/a.ts', '../ticket/b.ts'],
  ['packages/contract/src/ad-engine/a.ts', '../core/b.ts'],
  ['apps/server/src/domain/agents/devices/a.ts', '../../tickets/b.ts'],
  ['apps/server/src/modules/agent/devices/a.ts', '../../ticket/b.ts'],
  ['apps/server/src/modules/agent/devices/a.ts', '#modules/ticket/b.ts'],
  ['apps/server/src/protocols/xiaozhi/relay/a.ts', '../../plain/b.ts'],
  ['apps/console/src/modules/agent/devices/a.tsx', '../../ticket/b.tsx'],
  ['packages/contract/src/agent/devices/a.ts', '../../ticket/b.ts'],
  ['packages/contract/src/ad-engine/vectors/a.ts', '../../core/b.ts'],
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
const toProtocols = protocols.map(
  (name) => ['apps/server/src/protocols/shared/d.ts', `#protocols/${name}/b.ts`] as const,
)
const forbidden = [...FORBIDDEN, ...toProtocols].map(([file, from], index) => [numbered(file, index), from] as const)

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

test('lint refuses a cycle of imports', () => {
  expect(refusalsOf('apps/server/src/core/cycle/one.ts').join()).toContain('no-cycle')
})

test('lint refuses a bench that creates a directory which stays when the bench is interrupted', () => {
  expect(refusalsOf('bench/folder.ts').join()).toContain('no-restricted-imports')
})

test('main.ts is the only file directly in the source folder of the server', () => {
  const loose = readdirSync(join(ROOT, 'apps/server/src'), { withFileTypes: true }).filter((entry) => entry.isFile())
  expect(loose.map(({ name }) => name)).toEqual(['main.ts'])
})
