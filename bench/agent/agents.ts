// Measures the calls of voice devices and voice servers beside a million bound devices: boots, configurations and text
// reports, each against a server in the same run that does only the unavoidable part.
import { loadavg } from 'node:os'
import { type Baseline, startBaseline } from '../lib/baseline-server.ts'
import { type Call, type Rate, rateOf } from '../lib/call-rate.ts'
import { psql, settle } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { deviceNumbers, macOf, serverHeaders } from '../lib/voice-calls.ts'

const DEVICES = Number(process.env.BENCH_DEVICES ?? 1_000_000)
const AGENTS = 1000
const SECONDS = 4
const ROUNDS = 3
/** Calls a second at which the waiting times are measured. */
const PACE = 500
const ACCEPTED = '"code":0'

export async function run() {
  const product = await startProduct({ port: 18_351 })
  try {
    fill(product)
    await untilQuiet(product)
    remark(`load of the machine ${loadavg()[0]!.toFixed(1)}; ${DEVICES} bound devices of ${AGENTS} agents`)
    await boots(product)
    const headers = await serverHeaders(product)
    await configurations(product, headers)
    await reports(product, headers)
  } finally {
    await product.stop()
  }
}

/** Creates devices that are online, bound to agents with the models, the voice and the plugins of the first template. */
function fill(product: Product) {
  const sql = (text: string) => psql(product, text)
  sql(`insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  sql(`insert into device_models (type_id, model_name, model_code, boards)
    select max(id), 'bench', 'BENCH', '{bench-board}' from device_types`)
  sql(`insert into devices (tenant_id, model_id, sn, mac, ver_code, attributes_wanted, online, last_online_time, activate_time)
    select 1, (select max(id) from device_models), lpad(to_hex(g), 12, '0'), lpad(to_hex(g), 12, '0'), 2004002, 0, 1, now(), now()
    from generate_series(1, ${DEVICES}) g`)
  sql(`insert into agents (tenant_id, agent_code, agent_name, llm_id, vllm_id, slm_id, tts_id, asr_id, vad_id, mem_id,
      intent_id, voice_id, system_prompt, plugins)
    select 1, 'AGT_' || g, 'bench ' || g, llm_id, vllm_id, slm_id, tts_id, asr_id, vad_id, mem_id, intent_id, voice_id,
      system_prompt, plugins
    from (select * from agent_templates order by sort, id limit 1) t, generate_series(1, ${AGENTS}) g`)
  sql(`insert into agent_devices (device_id, tenant_id, agent_id, mac, client_id, board, app_version)
    select id, 1, (select min(id) from agents) + id % ${AGENTS}, mac, 'bench', 'bench-board', '2.4.2'
    from devices where mac <> ''`)
  sql(`update agent_models set config = config || '{"base_url":"http://127.0.0.1:9/v1"}' where code = 'LLM_ChatGLMLLM'`)
  sql('vacuum analyze')
  settle(product)
}

interface Measured {
  readonly url: string
  readonly next: () => Call
  readonly expected?: string
}

/** Returns the median rate of each server, measured in turn, and the last measurement of the first server. */
async function rates(...servers: readonly Measured[]): Promise<{ medians: number[]; last: Rate }> {
  const found = servers.map((): number[] => [])
  const measure = ({ url, next, expected = ACCEPTED }: Measured, seconds: number) =>
    rateOf(url, seconds, { next, expected })
  let last = await measure(servers[0]!, 1)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [at, server] of servers.entries()) {
      const rate = await measure(server, SECONDS)
      found[at]!.push(rate.perSecond)
      if (at === 0) last = rate
    }
  return { medians: found.map(median), last }
}

const stopAll = (baselines: readonly Baseline[]) => baselines.forEach((each) => each.stop())

/** Each device boots in turn, so that the limit of a MAC is not reached. */
async function boots({ url }: Product) {
  let device = 0
  const body = JSON.stringify({ version: 2, application: { version: '2.4.2' }, board: { type: 'bench-board' } })
  const next = () => {
    device = (device % DEVICES) + 1
    return { path: '/xiaozhi/ota/', headers: { 'device-id': macOf(device), 'client-id': 'bench' }, body }
  }
  const bare = await startBaseline(18_352, { bytes: 400 })
  const { medians } = await rates({ url, next, expected: 'server_time' }, { url: bare.url, next })
  stopAll([bare])
  const [ours = 0, theirs = 0] = medians
  remark(`a second: bare ${theirs.toFixed(0)}, boots ${ours.toFixed(0)}`)
  print({ name: 'boot of a known device ÷ bare node:http', value: ours / theirs, unit: '×', bar: 0.25, better: 'more' })
  print({ name: 'boots of known devices a second', value: ours, unit: '', bar: 2000, better: 'more' })
}

/** Pool of a baseline server, of the same size as the product's. */
const poolOf = ({ socket }: Product) =>
  `const pool = new (require('pg').Pool)({ host: ${JSON.stringify(socket)}, user: 'oms', database: 'oms', max: 10 })`
const MAC_OF_BODY = `const mac = body.macAddress.replaceAll(':', '')`
/** Reads only the agent of the device; the configuration needs its models and voice too. */
const ONE_QUERY = `${MAC_OF_BODY}
  await pool.query({ name: 'agent', values: [mac], text: 'select d.device_id, to_jsonb(a) as agent from agent_devices d ' +
    'join devices x on x.id = d.device_id join agents a on a.id = d.agent_id where d.mac = $1' })`

async function configurations(product: Product, headers: Record<string, string>) {
  const { url } = product
  const number = deviceNumbers(DEVICES)
  const selectedModule = { VAD: 'VAD_SileroVAD', ASR: 'ASR_FunASR' }
  const next = () => {
    const body = JSON.stringify({ macAddress: macOf(number()), clientId: 'bench', selectedModule })
    return { path: '/xiaozhi/config/agent-models', headers, body }
  }
  const paced = { next, expected: ACCEPTED, perSecond: PACE }
  const { bytes } = await rateOf(url, 1, paced)
  const bare = await startBaseline(18_352, { bytes })
  const query = await startBaseline(18_353, { bytes, setup: poolOf(product), work: ONE_QUERY })
  const { medians, last } = await rates({ url, next }, { url: bare.url, next }, { url: query.url, next })
  // Waits until the server has stored the timelines of the calls above.
  await untilQuiet(product)
  const { p99 } = await rateOf(url, SECONDS, paced)
  const { p99: queryP99 } = await rateOf(query.url, SECONDS, paced)
  stopAll([bare, query])
  const [ours = 0, bareRate = 0, queryRate = 0] = medians
  remark(
    `a second: bare ${bareRate.toFixed(0)}, one query ${queryRate.toFixed(0)}, configurations ${ours.toFixed(0)} of ${bytes} bytes`,
  )
  remark(`p99: one query at ${PACE} a second ${queryP99.toFixed(0)} ms, full speed ${last.p99.toFixed(0)} ms`)
  print({ name: 'configuration ÷ bare node:http', value: ours / bareRate, unit: '×', bar: 0.2, better: 'more' })
  print({ name: 'configuration ÷ one query a call', value: ours / queryRate, unit: '×', bar: 0.5, better: 'more' })
  print({ name: 'configurations a second', value: ours, unit: '', bar: 500, better: 'more' })
  print({ name: `configuration p99 at ${PACE} a second`, value: p99, unit: 'ms', bar: 50, better: 'less' })
  print({ name: 'configuration p99 ÷ p99 of one query', value: p99 / queryP99, unit: '×', bar: 3, better: 'less' })
}

/** Inserts only the turn. A report also counts the turn, its session and its use, and marks the device. */
const ONE_INSERT = `${MAC_OF_BODY}
  await pool.query({ name: 'turn', values: [mac, body.content, body.chatType, body.reportTime], text: 'insert into bench_turns ' +
    '(tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5, characters, report_time) ' +
    'select tenant_id, 1, device_id, agent_id, $3::smallint, $2::text, md5($1::text || $4::bigint), length($2::text), to_timestamp($4::bigint / 1000.0) ' +
    'from agent_devices where mac = $1' })`

/** Conversations of two turns: the words of the user, then the answer of the agent. */
async function reports(product: Product, headers: Record<string, string>) {
  psql(product, 'create table bench_turns (like agent_turns including indexes including defaults)')
  const number = deviceNumbers(DEVICES)
  let calls = 0
  let device = 0
  const next = () => {
    calls += 1
    if (calls % 2 === 1) device = number()
    const [chatType, content] = calls % 2 === 1 ? [1, '今天天气怎么样？'] : [2, '今天晴，最高二十五度，适合出门走走。']
    const said = { macAddress: macOf(device), sessionId: `s${(calls + 1) >> 1}`, chatType, content }
    const body = JSON.stringify({ ...said, reportTime: Date.now(), audioBase64: null })
    return { path: '/xiaozhi/agent/chat-history/report', headers, body }
  }
  const insert = await startBaseline(18_353, { bytes: 40, setup: poolOf(product), work: ONE_INSERT })
  const { medians, last } = await rates({ url: product.url, next, expected: '"data":true' }, { url: insert.url, next })
  stopAll([insert])
  const [ours = 0, theirs = 0] = medians
  remark(
    `a second: one insert ${theirs.toFixed(0)}, reports ${ours.toFixed(0)}; p99 at full speed ${last.p99.toFixed(0)} ms`,
  )
  print({ name: 'text report ÷ one insert a call', value: ours / theirs, unit: '×', bar: 0.5, better: 'more' })
  print({ name: 'text reports a second', value: ours, unit: '', bar: 500, better: 'more' })
}

if (isMain(import.meta)) await run()
