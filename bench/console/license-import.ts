// Measures the import of 200,000 certificates with keys from a csv file: duration of the job, memory, and the
// response times of list and statistics afterwards.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ask, untilDone } from '../lib/console.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const ROWS = 200_000
const LETTERS = 'ABCDEFGHIJ'

export async function run() {
  const product = await startProduct({ port: 18_311 })
  try {
    const ticket = await product.login()
    const before = peakOf(product)
    const seconds = await imported(product, ticket)
    print({ name: `import of ${ROWS} certificates with keys`, value: seconds, unit: 's', bar: 60, better: 'less' })
    const after = peakOf(product)
    if (before !== undefined && after !== undefined)
      print({ name: 'memory it took at most', value: after - before, unit: 'MB', bar: 400, better: 'less' })
    await answers(product, ticket)
  } finally {
    await product.stop()
  }
}

/** Returns the peak resident memory in MB since the last call. */
function peakOf({ pid }: Product) {
  const status = `/proc/${pid}/status`
  if (!existsSync(status)) return undefined
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return peak
}

const uidOf = (n: number) =>
  `BENC-${String(n).padStart(6, '0')}-${[...String(n % 100_000).padStart(5, '0')].map((digit) => LETTERS[Number(digit)]).join('')}`

async function imported(product: Product, ticket: string) {
  const lines = ['*UID,密钥,到期时间']
  for (let n = 1; n <= ROWS; n++) lines.push(`${uidOf(n)},key-of-certificate-${n},2031-12-31`)
  const form = new FormData()
  form.set('vendor', '2')
  form.set('typeCode', 'P2P')
  form.set('dryRun', '0')
  form.set('file', new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }), 'delivery.csv')
  const started = performance.now()
  const { jobId } = await ask<{ jobId: number }>(product, ticket, ['POST', '/api/v1/license/cert/import'], form)
  const { report } = await untilDone(product, ticket, jobId)
  if (report?.created !== ROWS) throw new Error(`${report?.created} taken of ${ROWS}`)
  return (performance.now() - started) / 1000
}

async function answers(product: Product, ticket: string) {
  const timed = async (path: string) => {
    const times: number[] = []
    for (let round = 0; round < 15; round++) {
      const started = performance.now()
      await ask(product, ticket, ['GET', path])
      times.push(performance.now() - started)
    }
    return median(times)
  }
  const list = await timed('/api/v1/license/cert/page?state=0')
  const prefix = await timed(`/api/v1/license/cert/page?uid=${uidOf(123_456)}`)
  remark(`list by state ${list.toFixed(1)} ms, one UID ${prefix.toFixed(1)} ms (medians of 15)`)
  const parts = ['summary', 'trend?unit=1', 'expiring', 'vendor', 'model', 'tenant']
  const slowest = Math.max(...(await Promise.all(parts.map((part) => timed(`/api/v1/license/statistics/${part}`)))))
  print({ name: 'slowest part of the statistics', value: slowest, unit: 'ms', bar: 500, better: 'less' })
}

if (isMain(import.meta)) await run()
