import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { runCommand } from '#cli/commands.ts'
import { openCluster } from '#core/database/embedded/cluster.ts'
import { pollUntil } from '#core/database/embedded/processes.ts'
import { type Serving, serve } from '#test/serving.ts'

const ROUNDS = 20
const ROLE = '/api/v1/tenant/role'

interface Write {
  readonly name: string
  readonly key: string
  isAcknowledged: boolean
}
interface Stored {
  readonly id: string
  readonly sha256: string
}

/** Returns all PostgreSQL processes of the cluster. All of them have its folder as working directory. */
function databaseProcesses(cluster: string) {
  const worksThere = (pid: string) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === cluster
    } catch {
      return false
    }
  }
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && worksThere(name))
}

const send = (server: Serving, ticket: string, { name, key }: Write) =>
  server.call('POST', ROLE, {
    ticket,
    payload: { roleName: name, roleCode: `c_${name}` },
    headers: { 'idempotency-key': key },
  })

/** Writes roles one after the other until the server stops. */
async function write(server: Serving, ticket: string, writes: Write[], client: number) {
  for (;;) {
    const one: Write = { name: `k${client}_${writes.length}`, key: randomUUID(), isAcknowledged: false }
    writes.push(one)
    const answer = await send(server, ticket, one).catch(() => undefined)
    if (answer?.code === 200) one.isAcknowledged = true
    else return answer
  }
}

async function uploadFiles(server: Serving, ticket: string, stored: Stored[]) {
  for (;;) {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(20_000 + randomInt(300_000))])
    const answer = await server.upload(ticket, `说明${stored.length}.pdf`, bytes).catch(() => undefined)
    if (answer?.code !== 200) return answer
    stored.push({ id: answer.data.id, sha256: createHash('sha256').update(bytes).digest('hex') })
  }
}

function killTree(server: Serving, cluster: string, withDatabase: boolean) {
  const database = withDatabase ? databaseProcesses(cluster) : []
  server.child.kill('SIGKILL')
  for (const pid of database)
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // The process has already ended.
    }
}

test('FAULT after 20 times kill -9, acknowledged rows and files are neither lost, duplicated nor incomplete', {
  timeout: 480_000,
}, async () => {
  const dataDir = mkdtempSync(join(inject('scratch'), 'kill-'))
  const writes: Write[][] = [[], []]
  const stored: Stored[] = []
  let ticket = ''
  // On a busy machine each round has time for fewer writes, so longer rounds follow until there are enough.
  const enough = () => writes.flat().length > 200 && stored.length > 40
  for (let round = 0; round < ROUNDS || (round < 3 * ROUNDS && !enough()); round += 1) {
    const server = await serve({ DATA_DIR: dataDir })
    expect(server.url, server.lines.join('\n')).not.toBe('')
    ticket ||= await server.login()
    await repeatUnanswered(server, ticket, writes.flat())
    const clients = [
      ...writes.map((mine, client) => write(server, ticket, mine, client)),
      uploadFiles(server, ticket, stored),
    ]
    await sleep(20 + randomInt(round < ROUNDS ? 500 : 2_000))
    killTree(server, join(dataDir, 'postgres'), round % 4 !== 3)
    // An error before the kill would end a client early and prove nothing.
    for (const answer of await Promise.all(clients)) expect(answer).toBeUndefined()
    await server.gone
  }
  const server = await serve({ DATA_DIR: dataDir })
  await repeatUnanswered(server, ticket, writes.flat())
  await assertFiles(server, ticket, stored)
  await assertRows(dataDir, writes.flat())
  const said: string[] = []
  await runCommand(['check'], { env: { DATA_DIR: dataDir }, print: (line) => said.push(line) })
  expect(said.join()).toContain('：0 个有问题')
  expect(writes.flat().length).toBeGreaterThan(200)
  expect(stored.length).toBeGreaterThan(40)
  server.child.kill('SIGTERM')
  expect(await server.gone).toBe(0)
})

/** Repeats unanswered calls with the same key, as a client does. Each call must take effect once. */
async function repeatUnanswered(server: Serving, ticket: string, writes: readonly Write[]) {
  for (const one of writes.filter(({ isAcknowledged }) => !isAcknowledged)) {
    const answer = await pollUntil(5_000, 50, async () => {
      const reply = await send(server, ticket, one)
      return reply.status === 503 ? undefined : reply
    })
    expect(answer, one.name).toMatchObject({ code: 200 })
    one.isAcknowledged = true
  }
}

async function assertFiles(server: Serving, ticket: string, stored: readonly Stored[]) {
  for (const { id, sha256 } of stored) {
    const reply = await fetch(`${server.url}/api/v1/file/${id}`, { headers: { ticket } })
    const bytes = Buffer.from(await reply.arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex'), id).toBe(sha256)
  }
}

async function assertRows(dataDir: string, writes: readonly Write[]) {
  const cluster = await openCluster({ dataDir, role: 'tool', warn: () => {} })
  const client = new pg.Client(cluster.connection)
  await client.connect()
  const { rows } = await client.query<{ name: string; logged: number }>(
    `select role_name as name, (select count(*)::int from oper_logs o
       where o.biz_type = 'role' and o.biz_id = r.id::text and o.status = 1) as logged
     from roles r where role_name like 'k%' order by role_name`,
  )
  await client.end()
  await cluster.close()
  expect(rows.map(({ name }) => name)).toEqual(writes.map(({ name }) => name).toSorted())
  // The change and its operation-log row commit together or not at all.
  expect(rows.filter(({ logged }) => logged !== 1)).toEqual([])
}
