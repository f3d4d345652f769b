// Measures substring search of serial numbers among a million devices (BENCH_ROWS for more), and imports of 200,000
// devices with their memory.
import { writeXlsx } from '../../apps/server/src/core/spreadsheet/formats/xlsx-writer.ts'
import { ask, memoryOf, untilDone } from '../lib/console.ts'
import { psql, settle } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const IMPORT_ROWS = 200_000
const MODELS = 20
const QUESTIONS = 300
const INFO = '/api/v1/device/info'
const PAGE = `${INFO}/page?pageNum=1&pageSize=20`

export async function run() {
  const product = await startProduct({ port: 18_307 })
  try {
    prepare(product)
    await untilQuiet(product)
    await search(product)
    await takeTables(product)
  } finally {
    await product.stop()
  }
}

/** Creates serial numbers as printed on labels: model, year, and a running number with leading zeros. */
function prepare(product: Product) {
  const started = performance.now()
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(
    product,
    `insert into device_models (type_id, model_name, model_code)
     select 1, 'bench ' || g, 'B' || lpad(g::text, 2, '0') from generate_series(1, ${MODELS}) g`,
  )
  // Creates the indexes after loading, which is three times as fast as updating them.
  psql(product, 'drop index devices_sn_trgm, devices_name_trgm')
  const MILLION = 1_000_000
  for (let from = 1; from <= ROWS; from += MILLION)
    psql(
      product,
      `insert into devices (tenant_id, model_id, sn, dev_name, ver_code)
       select 1, 1 + g % ${MODELS}, 'B' || lpad((1 + g % ${MODELS})::text, 2, '0') || '26' || lpad(g::text, 10, '0'),
         'bench', 100 + g % 7 from generate_series(${from}, ${Math.min(ROWS, from + MILLION - 1)}) g on conflict do nothing`,
    )
  psql(product, 'create index devices_sn_trgm on devices using gin (sn gin_trgm_ops)')
  psql(product, 'create index devices_name_trgm on devices using gin (dev_name gin_trgm_ops)')
  psql(product, 'vacuum analyze devices')
  settle(product)
  remark(`${ROWS.toLocaleString('en')} devices in ${((performance.now() - started) / 1000).toFixed(0)} s`)
}

async function search(product: Product) {
  const every = Math.max(1, Math.floor(ROWS / QUESTIONS))
  const sns = psql(product, `select sn from devices where id % ${every} = 1 limit ${QUESTIONS}`).split('\n')
  const ticket = await product.login()
  // Warm-up, so that neither the server nor the database compiles during the measurement.
  for (const sn of sns) await ask(product, ticket, ['GET', `${PAGE}&sn=${sn.slice(-6)}`])
  const floor: number[] = []
  for (let round = 0; round < 50; round++) {
    const started = performance.now()
    await ask(product, ticket, ['GET', '/api/v1/account/job?pageNum=1&pageSize=10'])
    floor.push(performance.now() - started)
  }
  remark(`a list without a row takes ${median(floor).toFixed(1)} ms on this machine now`)
  for (const length of [5, 6, 8, 15]) {
    const times: number[] = []
    let found = 0
    const parts = sns.map((sn) => sn.slice(-length))
    for (const part of parts) {
      const started = performance.now()
      const { total } = await ask<{ total: number }>(product, ticket, ['GET', `${PAGE}&sn=${part}`])
      times.push(performance.now() - started)
      if (total === 0) throw new Error(`nothing found for ${part}`)
      found += total
    }
    const name = `serials by a part of ${length} among ${ROWS.toLocaleString('en')}, median of ${times.length} alone`
    remark(`${length} characters: ${(found / times.length).toFixed(1)} found on average`)
    print({ name, value: median(times), unit: 'ms', bar: 100, better: 'less' })
  }
  await common(product, ticket)
}

/** Returns prefixes of serial numbers that one device of twenty has, distributed over the table. */
async function common(product: Product, ticket: string) {
  const times: number[] = []
  let total = 0
  for (let round = 0; round < 100; round++) {
    const part = `B${String(1 + (round % MODELS)).padStart(2, '0')}2`
    const started = performance.now()
    const page = await ask<{ total: number }>(product, ticket, ['GET', `${PAGE}&sn=${part}`])
    times.push(performance.now() - started)
    total = page.total
  }
  remark(`a part that one of ${MODELS} has (about ${total.toLocaleString('en')}): ${median(times).toFixed(1)} ms`)
}

const HEAD = ['序列号', '设备名称', '型号编码', '固件版本号', '硬件版本', '标签', '保修到期']
const linesOf = (prefix: string) =>
  Array.from({ length: IMPORT_ROWS }, (_, at) => [
    `${prefix}${at.toString(16).toUpperCase().padStart(8, '0')}`,
    '导入设备',
    'B01',
    String(100 + (at % 5)),
    'V1',
    '批量',
    '2030-01-31',
  ])

async function bytesOf(lines: string[][], format: 'csv' | 'xlsx') {
  if (format === 'csv') return Buffer.from([HEAD, ...lines].map((cells) => cells.join(',')).join('\n'))
  const columns = HEAD.map((title, at) => ({ key: String(at), title }))
  const rows = lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [String(at), cell])))
  const chunks: Buffer[] = []
  for await (const chunk of writeXlsx(columns, rows, { sheet: '设备' })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Imports a table of new devices and returns the duration in seconds. */
async function taken(product: Product, ticket: string, prefix: string, format: 'csv' | 'xlsx') {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(await bytesOf(linesOf(prefix), format))]), `devices.${format}`)
  const before = memoryOf(product)
  let peak = before
  const started = performance.now()
  const { jobId } = await ask<{ jobId: number }>(product, ticket, ['POST', `${INFO}/import`], form)
  const { report } = await untilDone(product, ticket, jobId, () => {
    peak = Math.max(peak, memoryOf(product))
  })
  if (report?.created !== IMPORT_ROWS) throw new Error(`created ${report?.created}`)
  return { seconds: (performance.now() - started) / 1000, memory: peak - before }
}

async function takeTables(product: Product) {
  const ticket = await product.login()
  for (const [format, prefix] of [
    ['csv', 'IMPC'],
    ['xlsx', 'IMPX'],
  ] as const) {
    const { seconds, memory } = await taken(product, ticket, prefix, format)
    print({ name: `import of 200,000 devices from ${format}`, value: seconds, unit: 's', bar: 60, better: 'less' })
    print({ name: `memory it takes beside, ${format}`, value: memory, unit: 'MB', bar: 300, better: 'less' })
  }
}

if (isMain(import.meta)) await run()
