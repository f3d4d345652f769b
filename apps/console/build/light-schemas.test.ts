import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, expect, test } from 'vitest'
import type * as z from 'zod'
import { lightSchemas } from './light-schemas.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CONTRACT = join(ROOT, 'packages/contract/src')
const modules = readdirSync(CONTRACT, { recursive: true, encoding: 'utf8' })
  .filter((name) => /^(?!permissions\/)[\w/-]+\.ts$/.test(name))
  .map((name) => join(CONTRACT, name))
/** Valid and invalid sample inputs. */
const SAMPLES = [undefined, null, '', ' ', 'abc', '7', 7, -1, 1.5, 'x'.repeat(2000), '2026-02-30', true, [], [1], {}]

interface Loaded {
  readonly modules: readonly Readonly<Record<string, unknown>>[]
  readonly buildFullSchema: (schema: z.ZodType) => z.ZodType
}

// A directory inside the repository, so that zod is resolved.
const folder = mkdtempSync(join(ROOT, 'node_modules/.light-'))

/** Bundles the contract like the console's build. */
async function light(): Promise<Loaded> {
  const entry = join(folder, 'entry.ts')
  const lines = modules.map((path, index) => `import * as m${index} from ${JSON.stringify(path)}`)
  const full = JSON.stringify(join(import.meta.dirname, '../src/core/api/full-schema.ts'))
  const list = modules.map((_, index) => `m${index}`).join(', ')
  writeFileSync(entry, `${lines.join('\n')}\nexport * from ${full}\nexport const modules = [${list}]\n`)
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [lightSchemas()],
    build: { lib: { entry, formats: ['es'], fileName: 'light' }, outDir: folder, emptyOutDir: false, minify: false },
  })
  return (await import(/* @vite-ignore */ join(folder, 'light.js'))) as Loaded
}

/** Returns all schemas of a module: exports, and inputs and results of its calls. */
function schemasOf(module: Readonly<Record<string, unknown>>, path = ''): [string, z.ZodType][] {
  return Object.entries(module).flatMap(([name, value]): [string, z.ZodType][] => {
    if (typeof value !== 'object' || value === null || value instanceof RegExp) return []
    const here = `${path}/${name}`
    if ('meta' in value && typeof value.meta === 'function')
      return [[here, value as z.ZodType], ...fieldsOf(value, here)]
    return 'method' in value || path === '' ? schemasOf(value as Readonly<Record<string, unknown>>, here) : []
  })
}
const fieldsOf = (schema: object, path: string): [string, z.ZodType][] =>
  'shape' in schema
    ? Object.entries(schema.shape as object).map(([name, field]) => [`${path}.${name}`, field as z.ZodType])
    : []

/** Qualifies names, because two modules may use one name for different schemas. */
const named = (module: Readonly<Record<string, unknown>>, at: number) =>
  schemasOf(module).map(([name, schema]) => [`${at}${name}`, schema] as const)

const verdicts = (schema: z.ZodType) =>
  SAMPLES.map((sample) => {
    const { success, data, error } = schema.safeParse(sample)
    return success ? JSON.stringify(data) : error.issues.map(({ message, path }) => `${path.join('.')}: ${message}`)
  })

afterAll(() => rmSync(folder, { recursive: true }))

test('light schemas have the metadata of the zod schemas and build equal zod schemas', {
  timeout: 60_000,
}, async () => {
  const console = await light()
  const server = await Promise.all(modules.map((path) => import(/* @vite-ignore */ path)))
  const real = server.flatMap(named)
  const lights = console.modules.flatMap(named)
  expect(lights.map(([name]) => name).sort()).toEqual(real.map(([name]) => name).sort())
  expect(real.length).toBeGreaterThan(500)
  const byName = new Map(lights)
  for (const [name, schema] of real) {
    const twin = byName.get(name)!
    expect(twin.meta() ?? {}, name).toEqual(schema.meta() ?? {})
    expect(verdicts(console.buildFullSchema(twin)), name).toEqual(verdicts(schema))
  }
})
