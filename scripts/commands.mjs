import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { browserEnv } from './browser.mjs'
import { build, usesBundle } from './build.mjs'
import { at, launch, run, say } from './runtime.mjs'
import { withTemporaryFolder } from './temporary.mjs'
import { printWeight } from './weight.mjs'

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

/**
 * Prints that the first start may take minutes. Prints nothing when the build has prepared a template of the embedded
 * database.
 */
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

export async function bench(args) {
  // The benchmarks start the built server. Without a new build, they would measure an older version.
  await build()
  return run([at('bench/run.ts'), ...args])
}

/** Photographs the screens of a running product. */
export const shots = (args) => run([at('scripts/shots.mjs'), ...args])

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
  printWeight()
  say(failed.length > 0 ? `未通过：${failed.join('、')}` : `全部通过（${steps.length} 项）`)
  return failed.length > 0 ? 1 : 0
}

/** Runs every test that `npm test` leaves out because it takes long, starts other programs, or repeats a rule in depth. */
export const testDeep = (words) => withTemporaryFolder(() => runTests(words, 'deep'))

/**
 * Runs `npm test -- <words>`: paths below e2e select journeys; all other words select unit tests. `--suite
 * apps/server` runs only that suite. The fastest suite runs first.
 */
export const test = (words) => withTemporaryFolder(() => runTests(words, 'quick'))

async function runTests(words, depth) {
  const { only, args } = suiteOf(words)
  if (args.length === 0) process.env.TEST_DEPTH = depth
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

const hasFile = (folder, pattern) =>
  existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => pattern.test(name))
const hasTests = (folder) =>
  hasFile(folder, process.env.TEST_DEPTH === 'deep' ? /\.deep\.test\.tsx?$/ : /\.test\.tsx?$/)
const hasJourneys = () => hasFile(at('e2e'), /\.spec\.ts$/)

function unitTests(suite, results, args) {
  say(`\n— ${suite}`)
  // The contract has only pure functions, so a worker can reuse its loaded modules for the next file.
  const options = suite === 'packages/contract' ? ['--no-isolate'] : []
  return vitestSuite({ suite, cwd: at(suite), options, report: join(results, suite.replaceAll('/', '-')) }, args)
}

/**
 * Runs Vitest and returns its outcome. In CI, Vitest repeats a failed test, but neither a hook after it nor the files that
 * a lost browser leaves. Such files run once more, and the summary names them.
 */
async function vitestSuite({ suite, cwd, env, options, report }, args) {
  const vitest = async (file, words) => {
    const reporters = ['default', 'json', at('scripts/run-errors.mjs')].map((name) => `--reporter=${name}`)
    const output = [...reporters, `--outputFile.json=${file}.json`]
    const command = [at('node_modules/vitest/vitest.mjs'), 'run', ...options, ...output, ...words]
    const started = performance.now()
    const code = await run(command, { cwd, env: { ...env, RUN_ERRORS_FILE: `${file}-errors.json` } })
    return { code, seconds: secondsSince(started), ...outcomeIn(file) }
  }
  const first = await vitest(report, process.env.TEST_DEPTH === 'quick' ? args : ['--passWithNoTests', ...args])
  if (!process.env.CI || first.failed > 0 || first.brokenFiles.length === 0) return { suite, ...first }
  const second = await vitest(`${report}-second`, first.brokenFiles)
  for (const title of first.titles) say(`! 第一次失败，已再运行一次，需要查明原因：${title}`)
  const { passed, skipped } = first.whole
  return { suite, ...second, passed: passed + second.passed, skipped: skipped + second.skipped }
}

const SECOND_TRY = '第二次才通过，需要查明原因'

/**
 * Returns the counts of a report of Vitest, titles and reasons of its failures, the files that failed outside their
 * tests, and the counts of all other files (`whole`).
 */
function outcomeIn(report) {
  const { testResults = [] } = read(`${report}.json`)
  const isFailed = ({ status }) => status === 'failed'
  const broken = testResults.filter((one) => isFailed(one) && !one.assertionResults.some(isFailed))
  // Often only the summary of a long run is kept, so the summary contains the reasons.
  const titles = [
    ...testResults.flatMap(({ name, assertionResults = [] }) =>
      assertionResults
        .filter(isFailed)
        .map(
          ({ fullName, failureMessages = [] }) => `${basename(name)} › ${fullName}：${reasonIn(failureMessages[0])}`,
        ),
    ),
    ...broken.map(({ name, message }) => `${basename(name)} › (the file itself)：${reasonIn(message)}`),
    ...read(`${report}-errors.json`, []).map((error) => `(outside all files)：${reasonIn(error)}`),
  ]
  const whole = countIn(testResults.filter((one) => !broken.includes(one)))
  return { ...countIn(testResults), whole, titles, brokenFiles: broken.map(({ name }) => name) }
}

function countIn(testResults) {
  const states = testResults.flatMap(({ assertionResults = [] }) => assertionResults.map(({ status }) => status))
  const [passed, failed] = ['passed', 'failed'].map((state) => states.filter((one) => one === state).length)
  return { passed, failed, skipped: states.length - passed - failed }
}

/**
 * Returns the first 1,000 characters of an error text without colours. The limit leaves room for two SQL statements.
 */
const reasonIn = (text = '') => stripVTControlCharacters(text).trim().slice(0, 1000)

/** Runs the console's component tests in a real browser. */
async function browserTests(results, args) {
  // With `test`, antd gives every element the same id, and dialogs lose their names.
  const env = { ...(await browserEnv()), NODE_ENV: 'development' }
  say(`\n— ${BROWSER_SUITE}`)
  const options = ['--config', 'vitest.browser.config.ts']
  const report = join(results, 'apps-console-browser')
  return vitestSuite({ suite: BROWSER_SUITE, cwd: at('apps/console'), env, options, report }, args)
}

const BROWSER_SUITE = 'apps/console（浏览器）'

async function journeys(results, args) {
  await build()
  const file = join(results, 'e2e.json')
  const browser = await browserEnv()
  say('\n— e2e')
  const started = performance.now()
  const code = await run([at('node_modules/@playwright/test/cli.js'), 'test', '--reporter=list,json', ...args], {
    env: { ...browser, PLAYWRIGHT_JSON_OUTPUT_NAME: file },
  })
  const { stats = {}, suites = [] } = read(file)
  const { expected = 0, flaky = 0, unexpected = 0, skipped = 0 } = stats
  for (const title of unsteady(suites)) say(`! ${SECOND_TRY}：${title}`)
  return { suite: 'e2e', code, seconds: secondsSince(started), passed: expected + flaky, failed: unexpected, skipped }
}

const secondsSince = (started) => Math.round((performance.now() - started) / 1000)

/** Titles of the journeys that passed only after a retry. */
const unsteady = (suites) =>
  suites.flatMap(({ suites: below = [], specs = [] }) => [
    ...specs.filter(({ tests }) => tests.some(({ status }) => status === 'flaky')).map(({ title }) => title),
    ...unsteady(below),
  ])

const read = (file, missing = {}) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : missing)

/** Prints the failed tests and a summary line per suite; a suite that ends without a summary counts as failed. */
function report(outcomes) {
  say('')
  for (const title of outcomes.flatMap(({ titles = [] }) => titles)) say(`✗ ${title}`)
  for (const { suite, code, seconds, passed, failed, skipped } of outcomes) {
    const counts = `通过 ${passed}，失败 ${failed}${skipped > 0 ? `，跳过 ${skipped}` : ''}`
    say(`${code === 0 ? '✓' : '✗'} ${suite}：${counts}，用时 ${seconds} 秒`)
  }
  const counted = outcomes.map((one) => ({ ...one, failed: one.code !== 0 && one.failed === 0 ? 1 : one.failed }))
  const sum = (key) => counted.reduce((total, outcome) => total + outcome[key], 0)
  say(`${sum('passed')} passed, ${sum('failed')} failed${sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''}`)
  if (sum('passed') + sum('failed') === 0)
    say('没有匹配的测试：请使用文件路径的一部分，例如 npm test -- ticket；浏览器流程如 npm test -- e2e/ticket')
  return sum('passed') > 0 && sum('failed') === 0 ? 0 : 1
}
