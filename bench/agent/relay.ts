// Measures the relay of language models: the time that the relay adds to the first token, 300 simultaneous streams, and
// readers that stop reading. The comparison is the same vendor, called directly in the same run.
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { rateOf } from '../lib/call-rate.ts'
import { complete, connections, type Endpoint } from '../lib/completion.ts'
import { psql } from '../lib/fleet.ts'
import { startVendor, type StreamOrder } from '../lib/llm-vendor.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { deviceNumbers, macOf, serverHeaders } from '../lib/voice-calls.ts'

const DEVICES = 1200
const STREAMS = 300
const ROUNDS = 600
const CODE = 'LLM_Bench'
const SHORT: StreamOrder = { pieces: 3, characters: 4, pauseMs: 1 }
/** A long spoken answer: 25 tokens a second for 8 seconds. */
const SPOKEN: StreamOrder = { pieces: 200, characters: 4, pauseMs: 40 }
/** 7 MB, more than the buffers of the sockets. The relay ends a completion at 8 MB. */
const LARGE: StreamOrder = { pieces: 800, characters: 3000, pauseMs: 0 }
const SLOW_READERS = 100
const PAUSE_MS = 5000

type Headers = Readonly<Record<string, string>>

export async function run() {
  const product = await startProduct({ port: 18_361 })
  const vendor = await startVendor(18_362)
  try {
    fill(product, vendor.base)
    const headers = await serverHeaders(product)
    const relayed = await endpointsOf(product, headers)
    await untilQuiet(product)
    remark(`load of the machine ${loadavg()[0]!.toFixed(1)}`)
    const direct = { base_url: vendor.base, api_key: 'none' }
    await firstTokens(relayed, direct)
    await streamsAtOnce(product, headers, relayed, direct)
    await slowReaders(product, relayed)
  } finally {
    vendor.stop()
    await product.stop()
  }
}

/** Creates a relayed model and devices of one agent that uses the model. */
function fill(product: Product, base: string) {
  const sql = (text: string) => psql(product, text)
  const config = JSON.stringify({ base_url: base, model_name: 'bench' })
  sql(`insert into agent_models (tenant_id, type, code, name, provider_code, config, relay)
    values (1, 'LLM', '${CODE}', 'bench', 'openai', '${config}', 1)`)
  sql(`insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  sql(`insert into device_models (type_id, model_name, model_code) select max(id), 'bench', 'BENCH' from device_types`)
  sql(`insert into agents (tenant_id, agent_code, agent_name, llm_id, tts_id, asr_id, vad_id, mem_id, intent_id)
    select 1, 'AGT_1', 'bench', (select id from agent_models where code = '${CODE}'), tts_id, asr_id, vad_id, mem_id, intent_id
    from agent_templates order by sort, id limit 1`)
  sql(`insert into devices (tenant_id, model_id, sn, mac, attributes_wanted, activate_time)
    select 1, (select max(id) from device_models), lpad(to_hex(g), 12, '0'), lpad(to_hex(g), 12, '0'), 0, now()
    from generate_series(1, ${DEVICES}) g`)
  sql(`insert into agent_devices (device_id, tenant_id, agent_id, mac, client_id, board)
    select id, 1, (select max(id) from agents), mac, 'bench', 'bench' from devices where mac <> ''`)
  sql('vacuum analyze')
}

const configurationOf = (device: number) =>
  JSON.stringify({ macAddress: macOf(device), clientId: 'bench', selectedModule: {} })

/** Reads the address and the key of the relay for each device, as a voice server does. */
async function endpointsOf({ url }: Product, headers: Headers): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = []
  for (let device = 1; device <= DEVICES; device += 1) {
    const body = configurationOf(device)
    const reply = await fetch(`${url}/xiaozhi/config/agent-models`, { method: 'POST', headers, body })
    const { data } = (await reply.json()) as { data: { LLM: Record<string, Endpoint> } }
    endpoints.push(data.LLM[CODE]!)
  }
  return endpoints
}

const p99Of = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!

/** Calls the vendor in turn through the relay and directly, from one client, over persistent connections. */
async function firstTokens(relayed: readonly Endpoint[], direct: Endpoint) {
  const agent = connections()
  const times: { readonly relayed: number[]; readonly direct: number[] } = { relayed: [], direct: [] }
  for (let round = -50; round < ROUNDS; round += 1) {
    const ours = await complete(agent, relayed[(round + 50) % DEVICES]!, SHORT)
    const theirs = await complete(agent, direct, SHORT)
    if (round < 0) continue
    times.relayed.push(ours.firstMs)
    times.direct.push(theirs.firstMs)
  }
  agent.destroy()
  const [ours, theirs] = [median(times.relayed), median(times.direct)]
  const [ours99, theirs99] = [p99Of(times.relayed), p99Of(times.direct)]
  remark(`first token: direct ${theirs.toFixed(2)} ms, relayed ${ours.toFixed(2)} ms`)
  remark(`99 % of first tokens: direct ${theirs99.toFixed(2)} ms, relayed ${ours99.toFixed(2)} ms`)
  print({ name: 'first token, median added', value: ours - theirs, unit: 'ms', bar: 5, better: 'less' })
  print({ name: 'first token, p99 added', value: ours99 - theirs99, unit: 'ms', bar: 5, better: 'less' })
}

/** Samples the resident memory of the server until stopped. */
function memoryOf({ pid }: Product) {
  // The status of an ended process has no line `VmRSS`.
  const now = () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  const before = now()
  let most = before
  const timer = setInterval(() => (most = Math.max(most, now())), 50).unref()
  return () => {
    clearInterval(timer)
    return { before, growth: most - before }
  }
}

/** Runs completions at the same time and returns how many were complete, and the total milliseconds. */
async function together(endpoints: readonly Endpoint[], order: StreamOrder, pauseMs = 0) {
  const agent = connections()
  const from = performance.now()
  const results = await Promise.allSettled(endpoints.map((each) => complete(agent, each, order, pauseMs)))
  const ms = performance.now() - from
  agent.destroy()
  const done = results.filter((each) => each.status === 'fulfilled').map(({ value }) => value)
  return { ms, complete: done.filter(({ isComplete }) => isComplete).length, first: done.map(({ firstMs }) => firstMs) }
}

/** Streams to 300 devices, with configurations of other devices beside them. */
async function streamsAtOnce(product: Product, headers: Headers, relayed: readonly Endpoint[], direct: Endpoint) {
  const number = deviceNumbers(DEVICES)
  const next = () => ({ path: '/xiaozhi/config/agent-models', headers, body: configurationOf(number()) })
  const others = () => rateOf(product.url, 6, { next, expected: '"code":0', perSecond: 50 })
  const some = relayed.slice(0, STREAMS)
  await together(some, SHORT)
  // Waits until the tokens of the short streams are stored.
  await untilQuiet(product)
  const alone = await others()
  const straight = await together(
    some.map(() => direct),
    SPOKEN,
  )
  const memory = memoryOf(product)
  const [ours, beside] = await Promise.all([together(some, SPOKEN), others()])
  const { before, growth } = memory()
  remark(`${STREAMS} streams: direct ${straight.ms.toFixed(0)} ms, relayed ${ours.ms.toFixed(0)} ms`)
  remark(
    `first token, median: direct ${median(straight.first).toFixed(0)} ms, relayed ${median(ours.first).toFixed(0)} ms`,
  )
  remark(`configurations, p99: alone ${alone.p99.toFixed(1)} ms, beside the streams ${beside.p99.toFixed(1)} ms`)
  remark(`memory: ${before.toFixed(0)} MB before, ${growth.toFixed(0)} MB more at most`)
  print({
    name: `complete of ${STREAMS} streams at once`,
    value: ours.complete,
    unit: '',
    bar: STREAMS,
    better: 'more',
  })
  print({ name: 'time of the streams ÷ direct', value: ours.ms / straight.ms, unit: '×', bar: 1.2, better: 'less' })
  print({ name: 'memory of the streams', value: growth, unit: 'MB', bar: 100, better: 'less' })
  print({ name: 'configuration p99 beside the streams', value: beside.p99, unit: 'ms', bar: 50, better: 'less' })
}

/** Clients stop reading while the vendor could send 7 MB to each: the relay must stop reading too. */
async function slowReaders(product: Product, relayed: readonly Endpoint[]) {
  const some = relayed.slice(-SLOW_READERS)
  const memory = memoryOf(product)
  const running = together(some, LARGE, PAUSE_MS)
  // All clients have stopped reading, and none reads again yet.
  await sleep(PAUSE_MS - 500)
  const { growth } = memory()
  const { complete: done } = await running
  const megabytes = (LARGE.pieces * LARGE.characters * 3 * SLOW_READERS) / 1e6
  remark(`${SLOW_READERS} readers paused ${PAUSE_MS / 1000} s each, ${megabytes.toFixed(0)} MB in all`)
  print({ name: 'complete of the slow readers', value: done, unit: '', bar: SLOW_READERS, better: 'more' })
  print({ name: 'memory beside slow readers', value: growth, unit: 'MB', bar: 150, better: 'less' })
}

if (isMain(import.meta)) await run()
