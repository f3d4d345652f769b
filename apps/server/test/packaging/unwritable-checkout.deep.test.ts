import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../../..')
const NOBODY = 65_534
/** The checkout belongs to root, and its user is `nobody`. Without root, the folders are read-only for their owner. */
const other = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

let checkout: string
const dist = (...path: string[]) => join(checkout, 'dist', ...path)

/** The stand-in for the server prints the account and the folder of the compile cache. */
const SERVER = `console.log(\`started \${process.getuid()} \${process.env.NODE_COMPILE_CACHE}\`)\n`

function write(path: string, text: string) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function setMode(mode: number) {
  const folders = readdirSync(checkout, { recursive: true, withFileTypes: true }).filter((one) => one.isDirectory())
  for (const { parentPath, name } of folders) chmodSync(join(parentPath, name), mode)
  chmodSync(checkout, mode)
}

/** Runs a command of the checkout as an account that cannot write the checkout. */
function run(...words: string[]) {
  setMode(0o555)
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(checkout, 'scripts/run.mjs'), ...words], {
    encoding: 'utf8',
    cwd: tmpdir(),
    timeout: 30_000,
    env: { PATH: process.env.PATH, HOME: join(tmpdir(), 'no-home'), DATABASE_URL: 'postgres://unused' },
    ...other,
  })
  return { status, lines: `${stdout}${stderr}`.trim().split('\n') }
}

beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'oms-checkout-'))
  cpSync(join(ROOT, 'scripts'), join(checkout, 'scripts'), { recursive: true })
  mkdirSync(join(checkout, 'node_modules/esbuild'), { recursive: true })
  mkdirSync(join(checkout, '.cache'))
})

beforeEach(() => {
  setMode(0o755)
  rmSync(dist(), { recursive: true, force: true })
  write(join(checkout, 'apps/server/src/main.ts'), `console.log('source')\n`)
  write(join(checkout, 'apps/server/src/cli/main.ts'), `console.log('source of cli')\n`)
  write(dist('server.mjs'), SERVER)
  write(dist('cli.mjs'), `console.log('cli', ...process.argv.slice(2))\n`)
  write(dist('console/index.html'), '')
  for (const name of ['.server', '.console']) write(dist(name), String(Date.now() + 1_000))
})

afterAll(() => {
  setMode(0o755)
  rmSync(checkout, { recursive: true, force: true })
})

const makeSourceNewer = () => {
  const later = new Date(Date.now() + 60_000)
  utimesSync(join(checkout, 'apps/server/src/main.ts'), later, later)
}

describe('a checkout that belongs to another account', () => {
  const started = () => `started ${other.uid ?? process.getuid?.()} ${join(checkout, '.cache/compile')}`

  test('the server starts from its build although the compile cache cannot be written', () => {
    expect(run('start')).toEqual({ status: 0, lines: [started()] })
    expect(readdirSync(join(checkout, '.cache'))).toEqual([])
  })

  test('the server starts from a build that is older than the sources and prints a warning', () => {
    makeSourceNewer()
    const { status, lines } = run('start')
    expect(status).toBe(0)
    expect(lines).toEqual([expect.stringContaining('server 的构建早于源文件'), started()])
    expect(lines[0]).toContain('请由程序文件的属主运行 npm run build')
  })

  test('terminal commands run from the build, like the server', () => {
    makeSourceNewer()
    expect(run('oms', 'check')).toEqual({ status: 0, lines: ['cli check'] })
  })

  test('the server refuses to start without a complete build and prints one line', () => {
    for (const missing of ['.server', 'server.mjs']) {
      rmSync(dist(missing))
      const { status, lines } = run('start')
      expect(status).toBe(1)
      expect(lines).toEqual([
        `server 没有可以使用的构建，当前账号又不能写 ${dist()}；请由程序文件的属主运行 npm run build`,
      ])
      setMode(0o755)
    }
    rmSync(dist(), { recursive: true })
    expect(run('start').lines).toEqual([expect.stringContaining('server、console 没有可以使用的构建')])
  })

  test('building in a checkout that belongs to another account is refused with one line', () => {
    const { status, lines } = run('build')
    expect(status).toBe(1)
    expect(lines).toEqual([expect.stringContaining('无法构建；请由程序文件的属主运行 npm run build')])
  })
})
