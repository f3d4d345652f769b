import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { describe, expect, test } from 'vitest'
import type { JobOptions, ScheduleOptions } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import { registerJobs } from '#main/jobs.ts'
import { modules } from '#main/modules.ts'
import { registerDeviceSideJobs } from '#main/devices/device-jobs.ts'
import { tableNames } from '#test/tables.ts'

const ROOT = join(import.meta.dirname, '../../../..')
/** Folders that are built, installed or written at run time. */
const UNTRACKED = new Set(['node_modules', 'dist', '.git', '.cache', 'data', 'data-demo'])
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isFile()) return [path]
    return entry.isDirectory() && !UNTRACKED.has(entry.name) ? filesBelow(path) : []
  })
const files = filesBelow('.')
const documents = files.filter((path) => path === 'README.md' || /^docs\/.*\.md$/.test(path))
const names = new Set(files.map((path) => basename(path)))

describe('reference pages are complete', () => {
  test('docs/reference/permissions.md lists the permissions that exist', () => {
    const listed = new Set(read('docs/reference/permissions.md').match(/(?<=`)\w+:\w+:\w+(?=`)/g))
    expect([...listed].toSorted()).toEqual([...ALL_PERMISSIONS].toSorted())
  })

  test('docs/reference/tables.md lists the tables that exist', async () => {
    const firstCells = [...read('docs/reference/tables.md').matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell]) => cell)
    const shared = ['create_by', 'create_time', 'update_by', 'update_time', 'rev', 'deleted_at', 'tenant_id']
    const listed = firstCells
      .join(' ')
      .match(/(?<=`)\w+(?=`)/g)!
      .filter((name) => !shared.includes(name))
    const tables = await tableNames()
    expect(listed.toSorted()).toEqual(tables.toSorted())
  })

  test('docs/reference/jobs.md lists every kind of job with its title, schedule and time limit', () => {
    const rows = read('docs/reference/jobs.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const missing = registeredJobs().filter(
      (cells) => !rows.some((row) => cells.every((cell) => row.includes(`| ${cell} |`))),
    )
    expect(missing).toEqual([])
  })

  test('docs/reference/glossary.md mentions only screen words, identifiers and tables that exist', async () => {
    const sourceOf = (packages: RegExp) =>
      files
        .filter((path) => packages.test(path))
        .map(read)
        .join('\n')
    const code = sourceOf(/^(apps\/(server|console)|packages\/contract)\/src\/.*\.tsx?$/)
    const texts = sourceOf(/^(apps\/console|packages\/contract)\/src\/.*\.tsx?$/)
    const tables = new Set(await tableNames())
    const rows = [
      ...read('docs/reference/glossary.md').matchAll(/^\| ([^|]*) \| [^|]* \| ([^|]*) \| ([^|]*) \|$/gm),
    ].slice(2)
    const unknown = rows.flatMap(([, screen, identifiers, stored]) => [
      ...screen!.split(', ').filter((word) => !texts.includes(word)),
      ...(identifiers!.match(/\w+/g) ?? []).filter((word) => !code.includes(word)),
      ...(stored!.match(/\w+/g) ?? []).filter((table) => !tables.has(table)),
    ])
    expect(rows.length).toBeGreaterThan(30)
    expect(unknown).toEqual([])
  })

  test('docs/reference/operating.md lists every environment variable and every metric', () => {
    const text = read('docs/reference/operating.md')
    const variables = read('apps/server/src/core/config/config.ts').match(/^ {2}(OMS|PORT|HOST|DATA)\w*(?=:)/gm)!
    const metrics = read('apps/server/src/core/http/metrics.ts').match(/(?<=')oms_\w+(?=')/g)!
    const listed = new Set([...text.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell]) => fullNames(cell!)))
    expect(variables.length).toBeGreaterThan(40)
    expect([...variables.map((name) => name.trim()), ...metrics].filter((name) => !listed.has(name))).toEqual([])
  })

  test('docs/reference/performance.md lists every bench', () => {
    const benches = files.flatMap((path) => /^bench\/(?!lib\/)[\w-]+\/([\w-]+)\.ts$/.exec(path)?.[1] ?? [])
    const listed = read('docs/reference/performance.md').match(/(?<=^\| `npm run bench -- )[\w-]+/gm)
    expect(listed?.toSorted()).toEqual(benches.toSorted())
  })

  test('docs/reference/api.md lists the path of every call', () => {
    const listed = [...read('docs/reference/api.md').matchAll(/^\| ((?:`\/[\w/]+`(?:, )?)+) \|/gm)].flatMap(
      ([, cell]) => cell!.match(/\/[\w/]+/g) ?? [],
    )
    const paths = modules.flatMap(({ contract }) =>
      Object.values(contract).map(({ path }) => path.replace('/api/v1', '')),
    )
    const isBelow = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`)
    expect(paths.filter((path) => !listed.some((prefix) => isBelow(path, prefix)))).toEqual([])
    expect(listed.filter((prefix) => !paths.some((path) => isBelow(path, prefix)))).toEqual([])
  })
})

/** Names in a cell; `OMS_RATE_API`, `_LOGIN` stands for `OMS_RATE_API`, `OMS_RATE_LOGIN`. */
function fullNames(cell: string): string[] {
  const names = cell.match(/(?<=`)\w+(?=`)/g) ?? []
  const first = names[0] ?? ''
  const prefixes = [...first.matchAll(/_/g)].map(({ index }) => first.slice(0, index))
  return names.flatMap((name) => (name.startsWith('_') ? prefixes.map((prefix) => prefix + name) : [name]))
}

/**
 * The cells that docs/reference/jobs.md must show for each kind: kind, title and schedule if any, time limit unless in
 * seconds.
 */
function registeredJobs(): string[][] {
  const kinds: string[][] = []
  const limitOf = ({ timeLimitSeconds: seconds = 600 }: JobOptions) => (seconds % 60 ? [] : [`${seconds / 60} min`])
  const jobs = {
    register: (kind: string, _work: unknown, options: JobOptions) => kinds.push([`\`${kind}\``, ...limitOf(options)]),
    registerMessages: (kind: string, _work: unknown, options: JobOptions) =>
      kinds.push([`\`${kind}\``, ...limitOf(options)]),
    schedule(kind: string, _work: unknown, { title, cron, ...options }: ScheduleOptions) {
      const schedule = typeof cron === 'string' ? `\`${cron}\`` : `every ${60 / cron.length} s`
      kinds.push([`\`${kind}\``, title, schedule, ...limitOf(options)])
    },
  }
  registerJobs({ jobs } as unknown as Services)
  registerDeviceSideJobs({ jobs } as unknown as Services)
  return kinds
}

/** Anchors of a Markdown file, as GitHub makes them from headings. */
const anchorsOf = (path: string) =>
  new Set(
    [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  )

const isMarkdown = (path: string) => path.endsWith('.md')

test('every relative link in the documents leads to an existing file and heading', () => {
  const broken = files.filter(isMarkdown).flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => {
      if (/^[a-z]+:/.test(link!)) return []
      const [path = '', anchor] = link!.split('#')
      const target = path ? relative(ROOT, join(ROOT, dirname(document), path)) : document
      const isValid =
        existsSync(join(ROOT, target)) &&
        (anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor))
      return isValid ? [] : [`${document}: ${link}`]
    }),
  )
  expect(broken).toEqual([])
})

test.each(['guides', 'reference', 'explanation'])('the README links every document of docs/%s in one row', (folder) => {
  const row = new RegExp(`^\\| ${folder} \\| (.*) \\|$`, 'm').exec(read('README.md'))![1]!
  const linked = [...row.matchAll(/\]\((docs\/[^)]*\.md)\)/g)].map(([, path]) => path)
  expect(linked.toSorted()).toEqual(documents.filter((path) => dirname(path) === `docs/${folder}`).toSorted())
})

/** Paths in documents are relative to one of these folders. */
const BASES = [
  '.',
  'docs',
  'packages/contract',
  'packages/contract/src',
  'apps/server',
  'apps/server/src',
  'apps/console',
  'apps/console/src',
]
const CODE = /^[\w.{},-]+(\/[\w.{},-]+)*\.(ts|tsx|mjs|sql|md|css)$/
const FOLDER =
  /^(apps|packages|docs|e2e|bench|scripts|core|domain|modules|protocols|schema|kit|entities|permissions)(\/[\w-]+)+\/?$/
/** Files of the example in docs/guides/adding-a-screen.md, which do not exist. */
const isExample = (path: string) => /\bparts?\b/.test(path)

/** `a.{ts,css}` names two files. */
const expand = (path: string): string[] => {
  const found = /\{([^}]*)\}/.exec(path)
  return found ? found[1]!.split(',').flatMap((part) => expand(path.replace(found[0], part))) : [path]
}

test('every file path mentioned in the documents exists', () => {
  const missing = documents.flatMap((document) =>
    [...read(document).matchAll(/`([^`\s]+)`/g)].flatMap(([, text]) => {
      if (isExample(text!) || (!CODE.test(text!) && !FOLDER.test(text!))) return []
      const isKnown = (path: string) =>
        BASES.some((base) => existsSync(join(ROOT, base, path))) || (!path.includes('/') && names.has(path))
      return expand(text!).every(isKnown) ? [] : [`${document}: ${text}`]
    }),
  )
  expect(missing).toEqual([])
})

/** Folders in which the guide's import paths are looked up, by the beginning of the path. */
const IMPORT_ROOTS = {
  '#': ['apps/server/src', 'apps/console/src'],
  '@oms/contract/': ['packages/contract/src'],
  './': ['apps/server/src/modules/device'],
  '../': ['packages/contract/src'],
} as const

test('docs/guides/adding-a-screen.md imports only exported names, and states its own number of lines', () => {
  const guide = read('docs/guides/adding-a-screen.md')
  const imports = [...guide.matchAll(/^ *import (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names, path]) => {
    const [start, roots] = Object.entries(IMPORT_ROOTS).find(([each]) => path!.startsWith(each)) ?? ['', []]
    const texts = roots
      .map((root) => join(root, path!.slice(start.length)))
      .filter((file) => existsSync(join(ROOT, file)))
    return isExample(path!) || roots.length === 0
      ? []
      : names!
          .split(',')
          .map((name) => ({ name: name.replace('type ', '').trim(), path, text: texts.map(read).join() }))
  })
  const unknown = imports.filter(
    ({ name, text }) => !new RegExp(`export (async )?(const|function|interface|type) ${name}\\b`).test(text),
  )
  expect(imports.length).toBeGreaterThan(40)
  expect(unknown.map(({ name, path }) => `${name} from ${path}`)).toEqual([])
  const listings = [...guide.matchAll(/\((\d+) lines\).*:\n\n +```tsx?\n([^]*?)\n +```/g)]
  const counts = listings.map(([, lines, code]) => [Number(lines), code!.split('\n').length])
  expect(counts).toHaveLength(3)
  expect(counts.filter(([named, real]) => named !== real)).toEqual([])
  const total = counts.reduce((sum, [, real]) => sum + real!, 0)
  expect(guide).toContain(`3 files with ${total} lines`)
  expect(total).toBeLessThan(250)
})

/** Comments and strings, which contain words and paths but no symbols. */
const NOT_CODE = /\/\*[^]*?\*\/|\/\/.*$|'[^'\n]*'/gm

test('docs/explanation/architecture.md traces requests to the database in three steps through existing files and symbols', () => {
  const walks = read('docs/explanation/architecture.md').match(
    /(?<=^## How a )(list request|mutation|device poll)[^]*?(?=^## )/gm,
  )!
  const steps = walks.map((walk) => [...walk.matchAll(/^\| \d \| `([^`]+)` \| (.*) \|$/gm)])
  expect(steps.map(({ length }) => length)).toEqual([3, 3, 3])
  const missing = steps.flat().flatMap(([, path, text]) => {
    const code = existsSync(join(ROOT, path!)) ? read(path!).replaceAll(NOT_CODE, '') : ''
    const symbols = [...text!.matchAll(/`(\w+)`/g)].map(([, symbol]) => symbol!)
    return symbols.filter((symbol) => !new RegExp(`\\b${symbol}\\b`).test(code)).map((symbol) => `${symbol} in ${path}`)
  })
  expect(missing).toEqual([])
})
