// Measures filling and emptying an allowlist by a filter that matches a million devices (BENCH_ROWS sets another
// number), each with progress. Also measures the dry run of a release over the same devices.
import { ask, untilDone } from '../lib/console.ts'
import { psql } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const ROWS = Number(process.env['BENCH_ROWS'] ?? 1_000_000)
const OTA = 1
const WHITE = '/api/v1/device/ota/white/all'
const DRY_RUN = '/api/v1/upgrade/release/dryRun'
const MATCHING = { tag: '批量', verCodeMin: 100 }

export async function run() {
  const product = await startProduct({ port: 18_317, env: { OMS_OTA_TWO_PERSON: 'off' } })
  try {
    fill(product)
    const ticket = await product.login()
    await dryRun(product, ticket, 'before anybody is on the list')
    await change(product, ticket, 'PUT')
    await dryRun(product, ticket, 'with everybody on the list')
    await change(product, ticket, 'DELETE')
  } finally {
    await product.stop()
  }
}

function fill(product: Product) {
  const started = performance.now()
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(product, `insert into device_models (type_id, model_name, model_code) values (1, 'bench', 'BENCH')`)
  // Drops the trigram indexes, which this benchmark does not read. Adds as many devices that the filter does not
  // match.
  psql(product, 'drop index devices_sn_trgm, devices_name_trgm')
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, ver_code, tags)
     select 1, 1, 'WL' || g, 100 + g % 5, case when g <= ${ROWS} then array['批量'] else array[]::text[] end
     from generate_series(1, ${ROWS * 2}) g`,
  )
  psql(
    product,
    `insert into ota_versions (ota_id, tenant_id, model_id, ver_code, ver_name, release_date, status, components)
     values (${OTA}, 1, 1, 900, 'bench', now() - interval '1 day', 1, 1)`,
  )
  psql(product, `insert into ota_policies (ota_id, tenant_id, mode, percent) values (${OTA}, 1, 1, 10000)`)
  psql(product, 'vacuum analyze devices')
  remark(`${ROWS * 2} devices in ${((performance.now() - started) / 1000).toFixed(0)} s`)
}

async function change(product: Product, ticket: string, method: 'PUT' | 'DELETE') {
  const seen = new Set<number>()
  const started = performance.now()
  const { jobId } =
    method === 'PUT'
      ? await ask<{ jobId: number }>(product, ticket, [method, WHITE], { otaId: OTA, ...MATCHING })
      : await ask<{ jobId: number }>(product, ticket, [
          method,
          `${WHITE}?otaId=${OTA}&tag=${encodeURIComponent(MATCHING.tag)}&verCodeMin=${MATCHING.verCodeMin}`,
        ])
  const answered = (performance.now() - started) / 1000
  const { rows } = await untilDone(product, ticket, jobId, ({ percent }) => seen.add(percent))
  const seconds = (performance.now() - started) / 1000
  if (rows !== ROWS) throw new Error(`${rows} changed of ${ROWS}`)
  const verb = method === 'PUT' ? 'filled with' : 'emptied of'
  print({ name: `white list ${verb} ${ROWS} devices`, value: seconds, unit: 's', bar: 15, better: 'less' })
  remark(`answered after ${answered.toFixed(2)} s; progress seen: ${[...seen].sort((a, b) => a - b).join(' ')} %`)
}

async function dryRun(product: Product, ticket: string, when: string) {
  const times: number[] = []
  let counted = 0
  for (let round = 0; round < 5; round++) {
    const started = performance.now()
    const { count } = await ask<{ count: number }>(product, ticket, ['POST', DRY_RUN], { otaId: OTA })
    times.push(performance.now() - started)
    counted = count
  }
  print({
    name: `dry run over ${ROWS * 2} devices ${when}, median`,
    value: median(times),
    unit: 'ms',
    bar: 1000,
    better: 'less',
  })
  remark(`first ${times[0]?.toFixed(0)} ms; ${counted} devices would get it`)
}

if (isMain(import.meta)) await run()
