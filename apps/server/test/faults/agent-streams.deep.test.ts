import { chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openCluster } from '#core/database/embedded/cluster.ts'
import { ensureRunning, type ClusterSite, stopPostmaster } from '#core/database/embedded/postmaster.ts'
import { answering, DONE, openVendor, piece } from '#test/clients/llm-vendor.ts'
import { McpClient } from '#test/clients/mcp-client.ts'
import { chunksOf, wordsOf } from '#test/fixtures/relay-fixture.ts'
import { type Serving, serve } from '#test/serving.ts'

const STREAMS = 20
let site: ClusterSite
let one: Serving
let other: Serving
let database: pg.Client
let vendor: Awaited<ReturnType<typeof openVendor>>
let secret: string

beforeAll(async () => {
  vendor = await openVendor()
  const dataDir = mkdtempSync(join(inject('scratch'), 'streams-'))
  const cluster = await openCluster({ dataDir, role: 'tool', warn: () => {} })
  await cluster.close()
  site = cluster.site
  mkdirSync(site.sockets, { recursive: true, mode: 0o700 })
  if (site.account) chownSync(site.sockets, site.account.uid, site.account.gid)
  const { sockets } = await ensureRunning(site)
  const env = { DATABASE_URL: `postgres://oms@localhost/oms?host=${sockets}`, DATA_DIR: join(dataDir, 'server') }
  one = await serve(env, 120_000)
  other = await serve(env, 120_000)
  database = new pg.Client({ host: sockets, user: 'oms', database: 'oms' })
  await database.connect()
  await fill()
  const payload = { code: 'server.secret', reason: '配置语音服务' }
  const ticket = await one.login()
  secret = (await one.call('POST', '/api/v1/agent/params/reveal', { ticket, payload })).data.value
}, 600_000)
afterAll(async () => {
  await database?.end()
  for (const { child } of [one, other]) child.kill('SIGTERM')
  await Promise.all([one.gone, other.gone])
  await stopPostmaster(site)
  await vendor.close()
})

/** Creates devices of an agent with a relayed model and all tools. */
async function fill() {
  const config = JSON.stringify({ base_url: vendor.base, model_name: 'm' })
  await database.query(
    `insert into agent_models (tenant_id, type, code, name, provider_code, config, relay)
     values (1, 'LLM', 'LLM_R', 'r', 'openai', $1, 1)`,
    [config],
  )
  await database.query(`insert into device_types (type_name, type_code) values ('语音', 'r')`)
  await database.query(
    `insert into device_models (type_id, model_name, model_code) select max(id), 'R', 'R' from device_types`,
  )
  await database.query(`insert into agents (tenant_id, agent_code, agent_name, llm_id, mem_id, tools)
    select 1, 'AGT_R', 'r', (select id from agent_models where code = 'LLM_R'), mem_id, array['warranty', 'repair']
    from agent_templates order by sort, id limit 1`)
  await database.query(`insert into devices (tenant_id, model_id, sn, mac)
    select 1, (select max(id) from device_models), m, m from (select lpad(to_hex(g), 12, '0') as m from generate_series(1, ${STREAMS}) g) x`)
  await database.query(`insert into agent_devices (device_id, tenant_id, agent_id, mac)
    select id, 1, (select max(id) from agents), mac from devices where mac <> ''`)
}

interface Configuration {
  readonly LLM: Record<string, { base_url: string; api_key: string }>
  readonly mcp_endpoint: string
}
async function configured({ url }: Serving, device: number): Promise<Configuration> {
  const macAddress = device.toString(16).padStart(12, '0').match(/../g)!.join(':')
  const reply = await fetch(`${url}/xiaozhi/config/agent-models`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ macAddress, clientId: 'c', selectedModule: {} }),
  })
  return ((await reply.json()) as { data: Configuration }).data
}
const ask = ({ base_url, api_key }: { base_url: string; api_key: string }) =>
  fetch(`${base_url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}` },
    body: JSON.stringify({ messages: [{ role: 'user', content: '在吗' }], stream: true }),
  })

test('AGENT-17 AGENT-18 FAULT a stopping process ends its streams and tool connections; the other process loses no call', {
  timeout: 120_000,
}, async () => {
  const configurations = await Promise.all(Array.from({ length: STREAMS }, (_, at) => configured(one, at + 1)))
  const tools = configurations.slice(0, 5).map(({ mcp_endpoint }) => new McpClient(mcp_endpoint))
  for (const client of tools) await client.start()
  let calls = 0
  vendor.behave((response) => {
    calls += 1
    const isEndless = calls % 2 === 0
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(piece('先'))
    if (!isEndless) setTimeout(() => response.end(piece('后') + DONE), 2000)
  })
  const answers = await Promise.all(configurations.map(({ LLM }) => ask(LLM['LLM_R']!)))
  const texts = answers.map((answer) => answer.text())
  const since = Date.now()
  one.child.kill('SIGTERM')
  let beside = 0
  while (one.child.exitCode === null && Date.now() - since < 15_000) {
    expect((await configured(other, 1 + (beside % STREAMS))).mcp_endpoint).toContain('/xiaozhi/mcp/call/')
    beside += 1
    await sleep(20)
  }
  expect(await one.gone).toBe(0)
  expect(Date.now() - since).toBeLessThan(10_000)
  expect(beside).toBeGreaterThan(20)
  expect(await Promise.all(tools.map(({ closed }) => closed))).toEqual(Array(5).fill(1001))
  const ends = (await Promise.all(texts)).map((text) => {
    const { chunks, isDone } = chunksOf(text)
    return isDone && wordsOf(text) === '先后' ? 'whole' : chunks.at(-1).error?.code
  })
  expect(ends.toSorted()).toEqual([...Array(STREAMS / 2).fill('restarting'), ...Array(STREAMS / 2).fill('whole')])
  // Each stream is counted: two entries without a usage of the vendor.
  const { rows } = await database.query(
    'select count(*)::int as n, count(distinct device_id)::int as devices from agent_usage where unit = 7',
  )
  expect(rows).toEqual([{ n: STREAMS, devices: STREAMS }])

  // The keys and tokens that the stopped process issued are valid at the other process.
  vendor.behave(answering(['好']))
  const { base_url, api_key } = configurations[0]!.LLM['LLM_R']!
  const moved = await ask({ base_url: base_url.replace(one.url, other.url), api_key })
  expect(wordsOf(await moved.text())).toBe('好')
  const client = new McpClient(
    configurations[0]!.mcp_endpoint.replace(one.url.replace('http', 'ws'), other.url.replace('http', 'ws')),
  )
  await client.start()
  expect(await client.call('query_warranty')).toContain('保修')
  await client.close()
})
