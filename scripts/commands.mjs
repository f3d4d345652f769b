import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { browserEnv } from './browser.mjs'
import { build, usesBundle } from './build.mjs'
import { at, launch, run, say } from './runtime.mjs'

const bundleEnv = () => ({ NODE_COMPILE_CACHE: at('.cache/compile'), NODE_ENV: 'production' })

export async function start(args) {
  const demo = args.includes('--demo')
  const unknown = args.find((arg) => arg !== '--demo')
  if (unknown) throw new Error(`不认识的参数 ${unknown}；可用：--demo`)
  await build()
  const own = demo ? { OMS_DEMO: 'on', DATA_DIR: process.env.DATA_DIR || './data-demo' } : {}
  announceFirstStart(resolve(at(), own.DATA_DIR || process.env.DATA_DIR || './data'))
  return run([at('dist/server.mjs')], { env: { ...bundleEnv(), ...own } })
}

/** Without the template of the build, the first start with the embedded database takes minutes on a slow machine. */
function announceFirstStart(dataDir) {
  const isEmbedded = !process.env.DATABASE_URL && !existsSync(join(dataDir, 'postgres'))
  const cached = existsSync(at('.cache')) ? readdirSync(at('.cache')) : []
  if (isEmbedded && !cached.some((name) => name.startsWith('postgres-template-')))
    say('首次启动，正在建立内置数据库，可能需要几分钟…')
}

/** Runs the server from source and the console with Vite; when one ends, the other is stopped. */
export async function dev(args) {
  const demo = args.includes('--demo') ? { OMS_DEMO: 'on', DATA_DIR: process.env.DATA_DIR || './data-demo' } : {}
  const children = [
    launch(['--watch', '--watch-preserve-output', at('apps/server/src/main.ts')], { env: demo }),
    launch([at('node_modules/vite/bin/vite.js')], { cwd: at('apps/console') }),
  ]
  const ends = children.map((child) => new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 0))))
  const code = await Promise.race(ends)
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(ends)
  return code
}

export async function oms(args) {
  const bundle = at('dist/cli.mjs')
  const isBundle = usesBundle()
  return run(isBundle ? [bundle, ...args] : [at('apps/server/src/cli/main.ts'), ...args], {
    env: isBundle ? bundleEnv() : {},
  })
}

export const bench = (args) => run([at('bench/run.ts'), ...args])

/** The linter's rules that need types run where their program is installed (Linux, as in CI). */
function typeAwareLint() {
  const program = at('node_modules/@oxlint-tsgolint', `${process.platform}-${process.arch}`, 'tsgolint')
  if (existsSync(program)) return { args: ['--type-aware'], env: { OXLINT_TSGOLINT_PATH: program } }
  say('此平台没有类型感知的检查程序，相关规则由 CI 检查')
  return { args: [], env: {} }
}

/** Options of tsc that keep its results, so that a second run checks only changed files and their dependents. */
const incremental = (folder) => [
  '--incremental',
  '--tsBuildInfoFile',
  at('.cache/tsc', `${folder.replaceAll('/', '-')}.tsbuildinfo`),
]

export async function check() {
  const bin = (name) => at('node_modules/.bin', name)
  const typeAware = typeAwareLint()
  const projects = ['packages/contract', 'apps/server', 'apps/console', 'e2e', 'bench']
  const steps = [
    ...projects
      .filter((folder) => existsSync(at(folder, 'tsconfig.json')))
      .map((folder) => [
        `tsc ${folder}`,
        [at('node_modules/typescript/bin/tsc'), '-p', at(folder), ...incremental(folder)],
      ]),
    ['oxlint', [bin('oxlint'), ...typeAware.args], { env: typeAware.env }],
    ['biome', [bin('biome'), 'format', '.']],
    ['knip', [bin('knip')]],
  ]
  const failed = []
  for (const [name, args, options] of steps) if ((await run(args, options)) !== 0) failed.push(name)
  say(failed.length > 0 ? `未通过：${failed.join('、')}` : `全部通过（${steps.length} 项）`)
  return failed.length > 0 ? 1 : 0
}

/**
 * Runs `npm test -- <words>`: paths below e2e select journeys; all other words select unit tests. `--suite
 * apps/server` runs only that suite. The fastest suite runs first.
 */
export async function test(words) {
  const { only, args } = suiteOf(words)
  const results = at('.cache/test-results')
  rmSync(results, { recursive: true, force: true })
  mkdirSync(results, { recursive: true })
  const wantsJourneys = only === 'e2e' || args.some((arg) => arg.includes('e2e'))
  const outcomes = []
  if (!wantsJourneys)
    for (const suite of SUITES.filter((folder) => (only ? folder === only : hasTests(at(folder, 'src')))))
      outcomes.push(await unitTests(suite, results, args))
  if (!wantsJourneys && (!only || only === 'apps/console')) outcomes.push(await browserTests(results, args))
  if (wantsJourneys || (hasJourneys() && !only && args.length === 0)) outcomes.push(await journeys(results, args))
  return report(outcomes)
}

const SUITES = ['packages/contract', 'apps/console', 'apps/server']

function suiteOf(words) {
  const at = words.indexOf('--suite')
  if (at < 0) return { only: undefined, args: words }
  const only = words[at + 1] ?? ''
  const known = [...SUITES, 'e2e']
  if (!known.includes(only)) throw new Error(`--suite 应为 ${known.join('、')} 之一`)
  return { only, args: words.toSpliced(at, 2) }
}

const hasTests = (folder) =>
  existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => /\.test\.tsx?$/.test(name))

const hasJourneys = () => existsSync(at('e2e')) && readdirSync(at('e2e')).some((name) => name.endsWith('.spec.ts'))

async function unitTests(suite, results, args) {
  const file = join(results, `${suite.replaceAll('/', '-')}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const narrowed = args.length > 0 ? ['--passWithNoTests', ...args] : []
  say(`\n— ${suite}`)
  const code = await run([at('node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...narrowed], { cwd: at(suite) })
  return { suite, code, ...outcomeIn(file) }
}

/** The counts and the titles of failed tests in a report of Vitest. */
function outcomeIn(file) {
  const {
    numPassedTests: passed = 0,
    numFailedTests: failed = 0,
    numPendingTests: skipped = 0,
    testResults = [],
  } = read(file)
  const titles = testResults.flatMap(({ name, status, assertionResults = [] }) => {
    const tests = assertionResults.filter((one) => one.status === 'failed').map((one) => one.fullName)
    const hasFailedOutsideTests = status === 'failed' && tests.length === 0
    return [...tests, ...(hasFailedOutsideTests ? ['(the file itself)'] : [])].map(
      (title) => `${basename(name)} › ${title}`,
    )
  })
  return { passed, failed, skipped, titles }
}

/** Runs the console's component tests in a real browser. */
async function browserTests(results, args) {
  const file = join(results, 'apps-console-browser.json')
  const options = ['--config', 'vitest.browser.config.ts', '--reporter=default', '--reporter=json']
  const narrowed = args.length > 0 ? ['--passWithNoTests', ...args] : []
  const browser = await browserEnv()
  say('\n— apps/console（浏览器）')
  const command = [at('node_modules/vitest/vitest.mjs'), 'run', ...options, `--outputFile.json=${file}`, ...narrowed]
  const code = await run(command, { cwd: at('apps/console'), env: browser })
  return { suite: 'apps/console（浏览器）', code, ...outcomeIn(file) }
}

async function journeys(results, args) {
  await build()
  const file = join(results, 'e2e.json')
  const browser = await browserEnv()
  say('\n— e2e')
  const code = await run([at('node_modules/@playwright/test/cli.js'), 'test', '--reporter=list,json', ...args], {
    env: { ...browser, PLAYWRIGHT_JSON_OUTPUT_NAME: file },
  })
  const { stats = {}, suites = [] } = read(file)
  const { expected = 0, flaky = 0, unexpected = 0, skipped = 0 } = stats
  for (const title of unsteady(suites)) say(`! 第二次才通过，需要查明原因：${title}`)
  return { suite: 'e2e', code, passed: expected + flaky, failed: unexpected, skipped }
}

/** Titles of the journeys that passed only after a retry. */
const unsteady = (suites) =>
  suites.flatMap(({ suites: below = [], specs = [] }) => [
    ...specs.filter(({ tests }) => tests.some(({ status }) => status === 'flaky')).map(({ title }) => title),
    ...unsteady(below),
  ])

const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

/** Prints the failed tests and a summary line per suite; a suite that ends without a summary counts as failed. */
function report(outcomes) {
  say('')
  for (const title of outcomes.flatMap(({ titles = [] }) => titles)) say(`✗ ${title}`)
  for (const { suite, code, passed, failed, skipped } of outcomes)
    say(`${code === 0 ? '✓' : '✗'} ${suite}：通过 ${passed}，失败 ${failed}${skipped > 0 ? `，跳过 ${skipped}` : ''}`)
  const counted = outcomes.map((one) => ({ ...one, failed: one.code !== 0 && one.failed === 0 ? 1 : one.failed }))
  const sum = (key) => counted.reduce((total, outcome) => total + outcome[key], 0)
  say(`${sum('passed')} passed, ${sum('failed')} failed${sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''}`)
  if (sum('passed') + sum('failed') === 0) say('没有匹配的测试：请使用文件路径的一部分，例如 npm test -- ticket')
  return sum('passed') > 0 && sum('failed') === 0 ? 0 : 1
}
