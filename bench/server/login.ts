// Measures a burst of logins, a session check, and the time until all processes know that a session ended.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMain } from '../lib/main.ts'
import { environmentBeside, PASSWORD, type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const AT_ONCE = 20
const BURSTS = 5
const CHECKS = 200_000
const ROUNDS = 40
const pswdMd5 = createHash('md5').update(PASSWORD).digest('hex')

export async function run() {
  const product = await startProduct({ port: 18_361, env: { OMS_METRICS: 'on' } })
  try {
    await burst(product)
    await sessionCheck(product)
    await revocation(product)
  } finally {
    await product.stop()
  }
}

/** Twenty concurrent logins; hashing a password takes 64 MiB each. */
async function burst(product: Product) {
  await product.login()
  const before = residentOf(product.pid)
  const delays: number[] = []
  const times: number[] = []
  for (let round = 0; round < BURSTS; round++) {
    await loopDelay(product)
    const started = performance.now()
    await Promise.all(Array.from({ length: AT_ONCE }, () => logIn(product)))
    times.push(performance.now() - started)
    delays.push(await loopDelay(product))
  }
  const grown = peakOf(product.pid) - before
  remark(`${AT_ONCE} logins at once took ${median(times).toFixed(0)} ms (median of ${BURSTS})`)
  print({
    name: 'event loop delay in a burst of 20 logins, longest',
    value: median(delays),
    unit: 'ms',
    bar: 20,
    better: 'less',
  })
  print({ name: 'memory rise in bursts of 20 logins, peak', value: grown, unit: 'MB', bar: 200, better: 'less' })
}

async function logIn({ url }: Product) {
  const body = new URLSearchParams({ account: 'admin', pswdMd5 })
  const reply = await fetch(`${url}/api/v1/account/login`, { method: 'POST', body })
  const { code } = (await reply.json()) as { code: number }
  if (code !== 200) throw new Error(`login refused: ${code}`)
}

/** Interval of the timer that measures the event loop. The metric includes the interval. */
const TIMER_MS = 10

/** Returns the longest event loop delay in milliseconds since the last call. */
async function loopDelay({ url }: Product) {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_max_seconds ([\d.e-]+)$/m.exec(text)?.[1]) * 1000 - TIMER_MS
}

const statusOf = (pid: number, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
const residentOf = (pid: number) => statusOf(pid, 'VmRSS')
const peakOf = (pid: number) => statusOf(pid, 'VmHWM')

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** Imports the server's source at run time, because the server is a separate TypeScript project. */
const source = (path: string) => import(join(import.meta.dirname, '../../apps/server/src', path))

type Logger = Parameters<typeof import('../../apps/server/src/main/services.ts')['createServices']>[0]['log']

/** Runs in this process on the product's database, because a call over HTTP would measure HTTP. */
async function sessionCheck(product: Product) {
  const token = await product.login()
  const { readConfig } = (await source(
    'core/config/config.ts',
  )) as typeof import('../../apps/server/src/core/config/config.ts')
  const { openDatabase } = (await source(
    'core/database/client.ts',
  )) as typeof import('../../apps/server/src/core/database/client.ts')
  const { createServices } = (await source(
    'main/services.ts',
  )) as typeof import('../../apps/server/src/main/services.ts')
  const config = readConfig({ DATABASE_URL: addressOf(product), DATA_DIR: product.dataDir })
  const database = await openDatabase(config, { warn: remark })
  const services = await createServices({ config, database, log: SILENT as unknown as Logger })
  for (let i = 0; i < 10_000; i++) await services.sessions.authenticate(token, undefined)
  const started = performance.now()
  for (let i = 0; i < CHECKS; i++) await services.sessions.authenticate(token, undefined)
  const each = ((performance.now() - started) * 1000) / CHECKS
  const { user } = await services.sessions.authenticate(token, undefined)
  await services.close()
  await database.close()
  if (!user) throw new Error('the session was not alive')
  print({ name: 'a cached session check', value: each, unit: 'µs', bar: 2, better: 'less' })
}

const addressOf = ({ socket }: Product) => `postgres://oms@localhost/oms?host=${encodeURIComponent(socket)}`

/** Ends the session in one process and polls the other process until it refuses the session. */
async function revocation(product: Product) {
  const other = await startProduct({
    port: 18_362,
    env: environmentBeside(product),
    database: 'given',
  })
  try {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const ticket = await product.login()
      await expectAlive(other, ticket)
      const ended = await fetch(`${product.url}/api/v1/account/logout`, { method: 'POST', headers: { ticket } })
      await ended.arrayBuffer()
      const since = performance.now()
      while (await isAlive(other, ticket)) {}
      times.push(performance.now() - since)
    }
    remark(`median ${median(times).toFixed(1)} ms over ${ROUNDS} sessions`)
    print({
      name: 'an ended session refused by another process, worst',
      value: Math.max(...times),
      unit: 'ms',
      bar: 500,
      better: 'less',
    })
  } finally {
    await other.stop()
  }
}

async function isAlive({ url }: Product, ticket: string) {
  const reply = await fetch(`${url}/api/v1/sys/account/perms`, { headers: { ticket } })
  const { code } = (await reply.json()) as { code: number }
  return code === 200
}

async function expectAlive(product: Product, ticket: string) {
  if (!(await isAlive(product, ticket))) throw new Error('the other process does not know the session')
}

if (isMain(import.meta)) await run()
