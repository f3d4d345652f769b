// Measures the opening of a package by a file of 100,000 lines against the dry run of an equal file.
import { loadavg } from 'node:os'
import { ask, untilDone } from '../lib/console.ts'
import { psql } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { fillCameras } from '../lib/storage-cameras.ts'

/** Lines of a file, at most 100,000. */
const LINES = Number(process.env.BENCH_ROWS ?? 100_000)
const ROUNDS = 3

export async function run() {
  const product = await startProduct({ port: 18_367 })
  try {
    // Each round uses other cameras, because a second package of a camera would wait instead of starting.
    fillCameras(product, LINES * ROUNDS)
    const ticket = await product.login()
    await withoutApproval(product, ticket)
    const times = { dryRun: [] as number[], run: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      const file = fileOf(round)
      await untilQuiet(product)
      times.dryRun.push(await secondsOf(product, ticket, file, 1))
      await untilQuiet(product)
      times.run.push(await secondsOf(product, ticket, file, 0))
    }
    const [dryRun, opened] = [median(times.dryRun), median(times.run)]
    remark(
      `load of the machine ${loadavg()[0]!.toFixed(1)}; ${LINES} lines: dry run ${dryRun.toFixed(1)} s, run ${opened.toFixed(1)} s`,
    )
    const name = `batch of ${LINES} lines: run ÷ dry run`
    print({ name, value: opened / dryRun, unit: '×', bar: 3, better: 'less' })
    const open = Number(psql(product, 'select count(*) from oss_entitlements where state = 1'))
    if (open !== LINES * ROUNDS) throw new Error(`${open} packages in force`)
  } finally {
    await product.stop()
  }
}

/** Turns off the setting that a second person approves large batches. */
async function withoutApproval(product: Product, ticket: string) {
  const settings = await ask<object>(product, ticket, ['GET', '/api/v1/oss/setting'])
  await ask(product, ticket, ['PUT', '/api/v1/oss/setting'], { ...settings, twoPersonAbove: 0 })
}

function fileOf(round: number) {
  const lines = Array.from({ length: LINES }, (_, at) => `D${1 + round * LINES + at},0,1`)
  return new Blob([`*序列号,通道,份数\n${lines.join('\n')}\n`], { type: 'text/csv' })
}

/** Returns the seconds from the upload of a file until its report. The server processes small files without a job. */
async function secondsOf(product: Product, ticket: string, file: Blob, dryRun: 0 | 1) {
  const form = new FormData()
  for (const [field, value] of Object.entries({ packageId: 1, source: 2, reason: 'bench', dryRun }))
    form.set(field, String(value))
  form.set('file', file, 'batch.csv')
  const started = performance.now()
  type Answer = { readonly jobId?: number; readonly created?: number }
  const answer = await ask<Answer>(product, ticket, ['POST', '/api/v1/oss/device/import'], form)
  const { jobId } = answer
  const report = jobId === undefined ? answer : (await untilDone(product, ticket, jobId)).report
  if (report?.created !== LINES) throw new Error(`${report?.created} lines taken of ${LINES}`)
  return (performance.now() - started) / 1000
}

if (isMain(import.meta)) await run()
