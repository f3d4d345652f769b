// Measures the history of voice agents: lists and conversations beside ten million turns, and reports with recordings
// of three megabytes beside polls of devices.
import { Agent, request } from 'node:http'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { poll, psql, settle, TOKEN } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { macOf, serverHeaders } from '../lib/voice-calls.ts'

const TURNS = Number(process.env.BENCH_TURNS ?? 10_000_000)
const TURNS_A_SESSION = 20
const SESSIONS = TURNS / TURNS_A_SESSION
const DEVICES = 10_000
const AGENTS = 100
const DAYS = 90
const LISTS = 60
const REPORTS_A_SECOND = 20
const POLLS_A_SECOND = 200
const SECONDS = 10
/** Page of the oldest conversations of an agent. */
const LAST_PAGE = Math.floor(SESSIONS / AGENTS / 20)
const AUDIO_BYTES = 3_000_000

export async function run() {
  const product = await startProduct({ port: 18_355 })
  try {
    fill(product)
    await untilQuiet(product)
    remark(`load of the machine ${loadavg()[0]!.toFixed(1)}; ${TURNS} turns in ${SESSIONS} conversations`)
    await lists(product)
    await recordings(product)
  } finally {
    await product.stop()
  }
}

/** Creates devices bound to agents that keep recordings, and their conversations of the last 90 days. */
function fill(product: Product) {
  const sql = (text: string) => psql(product, text)
  const token = createHash('sha256').update(TOKEN).digest('hex')
  sql(`insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  sql(`insert into device_models (type_id, model_name, model_code, boards)
    select max(id), 'bench', 'BENCH', '{bench-board}' from device_types`)
  sql(`insert into devices (id, tenant_id, model_id, sn, mac, ver_code, attributes_wanted, online, last_online_time, token_hash)
    select 1000000 + g, 1, (select max(id) from device_models), 'D' || g, lpad(to_hex(g), 12, '0'), 1, 0, 1, now(), '\\x${token}'
    from generate_series(1, ${DEVICES}) g`)
  sql(`insert into agents (id, tenant_id, agent_code, agent_name, llm_id, vllm_id, slm_id, tts_id, asr_id, vad_id, mem_id,
      intent_id, voice_id, system_prompt, plugins, chat_history_conf)
    select 1000000 + g, 1, 'AGT_' || g, 'bench ' || g, llm_id, vllm_id, slm_id, tts_id, asr_id, vad_id,
      (select id from agent_models where type = 'Memory' and provider_code = 'mem_local_short'), intent_id, voice_id, system_prompt, plugins, 2
    from (select * from agent_templates order by sort, id limit 1) t, generate_series(1, ${AGENTS}) g`)
  sql(`insert into agent_devices (device_id, tenant_id, agent_id, mac, client_id, board, app_version)
    select id, 1, 1000000 + 1 + id % ${AGENTS}, mac, 'bench', 'bench-board', '2.4.2' from devices where id > 1000000`)
  sql(`insert into agent_sessions (id, tenant_id, session_id, device_id, agent_id, title, first_time, last_time, turns,
      characters, end_time)
    select g, 1, 's' || g, 1000001 + g % ${DEVICES}, 1000000 + 1 + (1000001 + g % ${DEVICES}) % ${AGENTS}, '天气和出门 ' || g,
      at, at + interval '1 minute', ${TURNS_A_SESSION}, 300, at + interval '2 minutes'
    from (select g, now() - (${SESSIONS} - g) * interval '${DAYS} days' / ${SESSIONS} as at
      from generate_series(1, ${SESSIONS}) g) s`)
  sql(`select setval('agent_sessions_id_seq', ${SESSIONS})`)
  // The server creates the partitions of coming months. This statement creates those of earlier months.
  sql(`do $$ declare month date := date_trunc('month', now() - interval '${DAYS} days'); begin
    while month < date_trunc('month', now()) loop
      execute format('create table if not exists %I partition of agent_turns for values from (%L) to (%L)',
        'agent_turns_' || to_char(month, 'YYYYMM'), month, month + interval '1 month');
      month := month + interval '1 month';
    end loop; end $$`)
  sql(`insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5, characters)
    select s.first_time + n * interval '3 seconds', 1, s.id, s.device_id, s.agent_id, 1 + n % 2,
      '今天晴，最高二十五度，适合出门走走。' || n, md5(n::text), 18
    from agent_sessions s, generate_series(1, ${TURNS_A_SESSION}) n`)
  sql('vacuum analyze')
  settle(product)
}

interface Listed {
  readonly name: string
  readonly path: (at: number) => string
  readonly method: 'GET' | 'POST'
}

/** Measures lists by device and by agent, and whole conversations. Each call uses another device. */
async function lists(product: Product) {
  const root = '/api/v1/agent/history'
  const spread = (at: number, count: number) => (at * 7919) % count
  const device = (at: number) => `deviceId=${1_000_001 + spread(at, DEVICES)}`
  const agent = (at: number) => `agentId=${1_000_001 + spread(at, AGENTS)}`
  const measured: Listed[] = [
    { name: 'conversations of a device', method: 'GET', path: (at) => `${root}/sessions?${device(at)}` },
    { name: 'conversations of an agent', method: 'GET', path: (at) => `${root}/sessions?${agent(at)}` },
    {
      name: 'last page of an agent',
      method: 'GET',
      path: (at) => `${root}/sessions?${agent(at)}&pageNum=${LAST_PAGE}`,
    },
    { name: 'turns of a conversation', method: 'POST', path: (at) => `${root}/session/${1 + spread(at, SESSIONS)}` },
  ]
  const ticket = await product.login()
  for (const { name, path, method } of measured) {
    const times: number[] = []
    for (let at = 1; at <= LISTS; at += 1) {
      const start = performance.now()
      const body = method === 'POST' ? { body: '{}' } : {}
      const headers = { ticket, 'content-type': 'application/json' }
      const reply = await fetch(`${product.url}${path(at)}`, { method, headers, ...body })
      const { code, data } = (await reply.json()) as { code: number; data: { list?: unknown[]; turns?: unknown[] } }
      if (code !== 200 || (data.list ?? data.turns ?? []).length === 0) throw new Error(`${path(at)}: ${code}`)
      times.push(performance.now() - start)
    }
    remark(`${name}: median ${median(times).toFixed(1)} ms`)
    print({ name: `${name}, p95`, value: p(times, 0.95), unit: 'ms', bar: 50, better: 'less' })
  }
}

const p = (times: readonly number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN

/** Peak resident memory of the process since the last reset, in MiB. */
const peakOf = (pid: number) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
const rssOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Sends reports with recordings at a fixed pace, and polls of devices beside them. */
async function recordings(product: Product) {
  const headers = await serverHeaders(product)
  const body = bodyWithAudio()
  const alone = await polls(product)
  const before = rssOf(product.pid)
  const agent = new Agent({ keepAlive: true, maxSockets: 40 })
  const start = performance.now()
  const reports: Promise<number>[] = []
  const beside = polls(product)
  for (let sent = 0; sent < REPORTS_A_SECOND * SECONDS; sent += 1) {
    const due = start + (sent * 1000) / REPORTS_A_SECOND
    if (due > performance.now()) await sleep(due - performance.now())
    reports.push(send(product, agent, { headers, body: body(sent) }))
  }
  const times = await Promise.all(reports)
  const took = (performance.now() - start) / 1000
  const p99 = p(await beside, 0.99)
  agent.destroy()
  const stored = Number(psql(product, `select count(*) from agent_turns where audio_id <> ''`))
  if (stored !== times.length) throw new Error(`${stored} of ${times.length} recordings stored`)
  remark(`reports: median ${median(times).toFixed(0)} ms; memory before ${before.toFixed(0)} MiB`)
  remark(`p99 of polls without reports ${p(alone, 0.99).toFixed(1)} ms`)
  const rate = times.length / took
  print({ name: 'reports of 3 MB a second', value: rate, unit: '', bar: REPORTS_A_SECOND * 0.95, better: 'more' })
  print({ name: 'p99 of polls beside them', value: p99, unit: 'ms', bar: 100, better: 'less' })
  print({ name: 'peak memory of the process', value: peakOf(product.pid), unit: 'MiB', bar: 400, better: 'less' })
}

/** Returns the milliseconds of each poll of ten seconds at a fixed pace. */
async function polls({ url }: Product) {
  const start = performance.now()
  const answers = Array.from({ length: POLLS_A_SECOND * SECONDS }, async (_, at) => {
    const due = start + (at * 1000) / POLLS_A_SECOND
    await sleep(Math.max(0, due - performance.now()))
    const reply = await poll(url, `D${1 + (at % DEVICES)}`)
    await reply.arrayBuffer()
    if (!reply.ok) throw new Error(`poll: ${reply.status}`)
    return performance.now() - due
  })
  return Promise.all(answers)
}

/** Returns a function that creates a report with a WAV of 16 kHz. Each report has another session and time. */
function bodyWithAudio() {
  const wav = Buffer.alloc(AUDIO_BYTES, 1)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(AUDIO_BYTES - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(16_000, 24)
  wav.writeUInt32LE(32_000, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(AUDIO_BYTES - 44, 40)
  const audio = Buffer.from(`"audioBase64":"${wav.toString('base64')}"}`)
  return (sent: number) => {
    const said = {
      macAddress: macOf(1 + (sent % DEVICES)),
      sessionId: `r${sent}`,
      chatType: 1,
      content: '今天天气怎么样？',
    }
    const fields = JSON.stringify({ ...said, reportTime: Date.now() })
    // Different samples: equal recordings would be one stored file.
    audio.write(sent.toString(36).padStart(4, 'A'), 400)
    return Buffer.concat([Buffer.from(`${fields.slice(0, -1)},`), audio])
  }
}

interface Report {
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** Resolves with the milliseconds until the response. */
const send = ({ url }: Product, agent: Agent, { headers, body }: Report) =>
  new Promise<number>((done, fail) => {
    const start = performance.now()
    const options = { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } }
    request(`${url}/xiaozhi/agent/chat-history/report`, options, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      reply.on('end', () => (text.includes('"data":true') ? done(performance.now() - start) : fail(new Error(text))))
    })
      .on('error', fail)
      .end(body)
  })

if (isMain(import.meta)) await run()
