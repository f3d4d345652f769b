// Measures the device calls of advertising. Compares unchanged manifests with idle polls, and stored plays with plain
// inserts. Measures the growth with screens and sets, and the time to publish to all screens.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { plays } from '../lib/ad-plays.ts'
import { renderings } from '../lib/ad-renderings.ts'
import { psql, TOKEN } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { temporaryFolder } from '../lib/temporary.ts'

const SCREENS = Number(process.env.BENCH_ROWS ?? 100_000)
const SETS = 500
/**
 * Number of screens in the set that is compared with many sets. Fewer screens would exceed the rate limit of a device.
 */
const FEW = Math.min(20_000, SCREENS / 2)
const CONNECTIONS = 50
const SECONDS = 4
const ROUNDS = 5
/** Pause between two publications that polls are measured against. */
const PUBLISH_PAUSE_MS = 1000

export async function run() {
  const product = await startProduct({ port: 18_361 })
  try {
    fill(product)
    await untilSets(product)
    await untilQuiet(product)
    remark(`load of the machine ${loadavg()[0]!.toFixed(1)}; ${SCREENS} screens in ${SETS} sets`)
    await throughput(product)
    await publishing(product)
    await pollsWhilePublishing(product)
    await plays(product)
    await renderings()
  } finally {
    await product.stop()
  }
}

const programBody = `jsonb_build_object('id', p, 'verNo', 1, 'name', 'P' || p, 'publishedAt', 1, 'playMode', 1, 'priority', 0,
  'insertMode', 0, 'share', null, 'dateFrom', '2020-01-01', 'dateTo', '2099-12-31', 'weekdays', 127, 'dayParts', '[]'::jsonb,
  'fallback', 0, 'items', (select jsonb_agg(jsonb_build_object('id', i, 'adId', 1 + (p * 7 + i) % 200, 'ms', 15000, 'weight', 1,
  'maxPlaysPerHour', 0, 'from', null, 'to', null, 'transition', 0)) from generate_series(1, 12) i))`

/** Creates screens of 500 models; each model has a program of its own, so each model is a set. */
function fill(product: Product) {
  const token = createHash('sha256').update(TOKEN).digest('hex')
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(
    product,
    `insert into device_models (type_id, model_name, model_code) select 1, 'b' || g, 'B' || g from generate_series(1, ${SETS + 1}) g`,
  )
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, ver_code, token_hash, attributes_wanted, last_online_time, online)
     select 1, case when g > ${SCREENS - FEW} then ${SETS + 1} else 1 + g % ${SETS} end, 'D' || g, 100, '\\x${token}', 0, now(), 1
     from generate_series(1, ${SCREENS}) g`,
  )
  // Known screens: the first manifest of a new screen also stores the screen and its pairing.
  psql(product, `insert into ad_screens (device_id, tenant_id, player_kind) select id, 1, 2 from devices`)
  psql(
    product,
    `insert into ads (tenant_id, ad_name, ad_type, ver_no, approved_ver, audit_status) select 1, 'A' || g, 1, 1, 1, 2 from generate_series(1, 200) g`,
  )
  psql(
    product,
    `insert into ad_versions (ad_id, ver_no, tenant_id, content_hash, submit_by, audit_status, body)
     select id, 1, 1, '', 1, 2, jsonb_build_object('id', id, 'verNo', 1, 'name', ad_name, 'type', 1, 'validFrom', null, 'validTo', null,
       'approvalUntil', null, 'linkUrl', null, 'text', null, 'files', jsonb_build_array(jsonb_build_object('materialId', id,
       'sha256', encode(sha256(id::text::bytea), 'hex'), 'size', 2000000, 'mime', 'image/png', 'width', 1920, 'height', 1080,
       'codec', '', 'chunks', jsonb_build_array(encode(sha256(id::text::bytea), 'hex'))))) from ads`,
  )
  psql(
    product,
    `insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, publish_by)
     select p, 1, 1, ${programBody}, 3, array[p], 2, 1 from generate_series(1, ${SETS + 1}) p`,
  )
  psql(
    product,
    `insert into ad_programs (tenant_id, program_name, date_from, date_to, target_type, target_ids, ver_no, published_ver, status)
     select 1, 'P' || p, '2020-01-01', '2099-12-31', 3, array[p], 1, 1, 2 from generate_series(1, ${SETS + 1}) p`,
  )
  psql(product, 'vacuum analyze devices')
}

const manifest = async ({ url }: Product, number: number) =>
  fetch(`${url}/device/v1/ad/manifest/D${number}`, { headers: { authorization: `Bearer ${TOKEN}` } })

async function untilSets(product: Product) {
  for (;;) {
    const found = await Promise.all([manifest(product, 1), manifest(product, SCREENS)])
    const bodies = await Promise.all(found.map(async (reply) => (reply.ok ? await reply.json() : { programs: [] })))
    if (bodies.every(({ programs }) => programs.length > 0)) return
    await new Promise((done) => setTimeout(done, 250))
  }
}

async function throughput(product: Product) {
  const tags: string[] = []
  for (let model = 0; model < SETS; model++)
    tags[model] = (await manifest(product, model === 0 ? SETS : model)).headers.get('etag')!
  const one = (await manifest(product, SCREENS)).headers.get('etag')!
  const rates = { idle: [] as number[], many: [] as number[], few: [] as number[] }
  await wrk(product.url, manyLua(tags), 2)
  for (let round = 0; round < ROUNDS; round++) {
    rates.idle.push(await wrk(product.url, IDLE))
    rates.many.push(await wrk(product.url, manyLua(tags)))
    rates.few.push(await wrk(product.url, fewLua(one)))
  }
  const [idle, many, few] = [median(rates.idle), median(rates.many), median(rates.few)]
  remark(
    `a second: idle poll ${idle.toFixed(0)}, 304 of ${SETS} sets ${many.toFixed(0)}, of one set ${few.toFixed(0)} (medians of ${ROUNDS})`,
  )
  print({ name: 'manifest 304 ÷ idle poll', value: many / idle, unit: '×', bar: 0.9, better: 'more' })
  print({
    name: `304 of ${SCREENS} screens in ${SETS} sets ÷ ${FEW} screens in one set`,
    value: many / few,
    unit: '×',
    bar: 0.9,
    better: 'more',
  })
}

const until = async (isDone: () => Promise<boolean>) => {
  const from = performance.now()
  while (!(await isDone())) await new Promise((done) => setTimeout(done, 2))
  return performance.now() - from
}

/** Measures the time from a publication until the manifests of all screens changed, against a dry run of a release. */
async function publishing(product: Product) {
  const token = await product.login()
  psql(
    product,
    `insert into ota_versions (tenant_id, model_id, ver_code, ver_name, old_ver_min, old_ver_max, release_date, status, components)
     values (1, 1, 900, 'v900', 1, 800, now() - interval '1 day', 0, 1)`,
  )
  const otaId = Number(psql(product, `select max(ota_id) from ota_versions`))
  const times = { publish: [] as number[], dryRun: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now()
    const reply = await fetch(`${product.url}/api/v1/upgrade/release/dryRun`, {
      method: 'POST',
      headers: { ticket: token, 'content-type': 'application/json' },
      body: JSON.stringify({ otaId }),
    })
    const { code, msg } = (await reply.json()) as { code: number; msg: string }
    if (code !== 200) throw new Error(`dry run: ${msg}`)
    times.dryRun.push(performance.now() - from)
    times.publish.push(await publish(product, SETS + 2 + round))
  }
  const [changed, dry] = [median(times.publish), median(times.dryRun)]
  remark(
    `ms: publish until all manifests changed ${changed.toFixed(0)}, dry run over ${SCREENS} devices ${dry.toFixed(0)}`,
  )
  print({
    name: 'publish until all manifests changed ÷ dry run of a release',
    value: changed / dry,
    unit: '×',
    bar: 2,
    better: 'less',
  })
}

/** Measures idle polls while programs are published to all screens one after the other, against polls alone. */
async function pollsWhilePublishing(product: Product) {
  const rates = { alone: [] as number[], publishing: [] as number[] }
  let program = SETS + 2 + ROUNDS
  let published = 0
  for (let round = 0; round < 3; round++) {
    rates.alone.push(await wrk(product.url, IDLE))
    let isPolling = true
    const polls = wrk(product.url, IDLE).finally(() => (isPolling = false))
    for (; isPolling; published++) {
      await publish(product, program++)
      await new Promise((done) => setTimeout(done, PUBLISH_PAUSE_MS))
    }
    rates.publishing.push(await polls)
  }
  const [alone, publishing] = [median(rates.alone), median(rates.publishing)]
  remark(`idle polls a second: alone ${alone.toFixed(0)}, during ${published} publications ${publishing.toFixed(0)}`)
  print({
    name: 'idle polls during publications ÷ alone',
    value: publishing / alone,
    unit: '×',
    bar: 0.7,
    better: 'more',
  })
}

/** Publishes a program to the platform's devices. Returns the ms until the first and the last screen have the program. */
async function publish(product: Product, program: number) {
  psql(
    product,
    `insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, publish_by)
     select p, 1, 1, ${programBody}, 4, '{1}', 2, 1 from generate_series(${program}, ${program}) p`,
  )
  const has = async (number: number) =>
    ((await (await manifest(product, number)).json()) as { programs: { id: number }[] }).programs.some(
      ({ id }) => id === program,
    )
  psql(
    product,
    `insert into ad_programs (id, tenant_id, program_name, date_from, date_to, target_type, target_ids, ver_no, published_ver, status)
     values (${program}, 1, 'P', '2020-01-01', '2099-12-31', 4, '{1}', 1, 1, 2)`,
  )
  return until(async () => (await has(SCREENS)) && (await has(1)) && has(Math.floor(SCREENS / 2)))
}

const IDLE = `request = function()
  return wrk.format('GET', '/default/controller/v1/D' .. math.random(1, ${SCREENS}), { ['Authorization'] = 'TargetToken ${TOKEN}', ['Accept'] = 'application/json' })
end`
const manyLua = (tags: readonly string[]) => `local tags = { ${tags.map((tag) => `'${tag}'`).join(', ')} }
request = function()
  local n = math.random(1, ${SCREENS - FEW})
  return wrk.format('GET', '/device/v1/ad/manifest/D' .. n, { ['Authorization'] = 'Bearer ${TOKEN}', ['If-None-Match'] = tags[1 + n % ${SETS}] })
end`
const fewLua = (tag: string) => `request = function()
  return wrk.format('GET', '/device/v1/ad/manifest/D' .. math.random(${SCREENS - FEW + 1}, ${SCREENS}), { ['Authorization'] = 'Bearer ${TOKEN}', ['If-None-Match'] = '${tag}' })
end`

/** Returns the requests a second. */
async function wrk(url: string, lua: string, seconds = SECONDS) {
  const script = join(temporaryFolder('oms-wrk-'), 'manifest.lua')
  writeFileSync(script, lua)
  const options = ['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`, '-s', script, url]
  const { stdout: text } = await promisify(execFile)('wrk', options, { encoding: 'utf8' })
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1]
  // The rate limit is 240 calls per device and minute. A fast machine with few screens exceeds this limit.
  if (refused) throw new Error(`${refused} calls were refused: measure more screens (BENCH_ROWS)`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1])
}

if (isMain(import.meta)) await run()
