import { randomInt, randomUUID } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openCluster } from '#core/database/embedded/cluster.ts'
import { ensureRunning, type ClusterSite, stopPostmaster } from '#core/database/embedded/postmaster.ts'
import { pollUntil } from '#core/database/embedded/processes.ts'
import { type Serving, serve } from '#test/serving.ts'
import { VoiceServer } from '#test/clients/voice-server.ts'
import { XiaozhiDevice } from '#test/clients/xiaozhi-device.ts'

const PARAMS = '/api/v1/agent/params'
let site: ClusterSite
let env: Record<string, string>
let database: pg.Client
let people: Serving
/** Two processes for devices and voice servers. */
let wires: [Serving, Serving]
let admin: string
let agentId: number

/** Starts a process. On a busy machine the database may take longer than a start waits; then starts again. */
async function start(role: 'console' | 'device', tries = 5): Promise<Serving> {
  const server = await serve({ ...env, OMS_ROLE: role }, 120_000)
  if (server.url === '' && tries > 1) return start(role, tries - 1)
  expect(server.url, server.lines.join('\n')).not.toBe('')
  return server
}
const asConsole = () => start('console')
const asWire = () => start('device')

beforeAll(async () => {
  const dataDir = mkdtempSync(join(inject('scratch'), 'agents-'))
  const cluster = await openCluster({ dataDir, role: 'tool', warn: () => {} })
  await cluster.close()
  site = cluster.site
  mkdirSync(site.sockets, { recursive: true, mode: 0o700 })
  if (site.account) chownSync(site.sockets, site.account.uid, site.account.gid)
  const { sockets } = await ensureRunning(site)
  env = { DATABASE_URL: `postgres://oms@localhost/oms?host=${sockets}`, DATA_DIR: join(dataDir, 'server') }
  people = await asConsole()
  wires = [await asWire(), await asWire()]
  database = new pg.Client({ host: sockets, user: 'oms', database: 'oms' })
  await database.connect()
  admin = await people.login()
  agentId = (await call('POST', '/api/v1/agent/list', { agentName: '三个进程' })).data.id
  // A model at a local address needs no key. Without a small model the title is the first words of the session.
  await database.query(
    `update agent_models set config = config || '{"base_url":"http://127.0.0.1:9/v1"}' where code = 'LLM_ChatGLMLLM';
    update agents set slm_id = null, chat_history_conf = 1, mem_id = (select id from agent_models where provider_code = 'mem_local_short')`,
  )
}, 600_000)
afterAll(async () => {
  await database?.end()
  const all = [people, ...(wires ?? [])].filter((each) => each !== undefined)
  for (const { child } of all) child.kill('SIGTERM')
  await Promise.all(all.map(({ gone }) => gone))
  await stopPostmaster(site)
})

/** Calls the console process. */
const call = (method: string, path: string, payload?: object) =>
  people.call(method, path, { ticket: admin, ...(payload && { payload }) })
const bind = (code: string) => call('POST', '/api/v1/agent/device/bind', { agentId, code })
const deviceAt = ({ url }: Serving, mac: string, clientId: string = randomUUID()) =>
  new XiaozhiDevice(`${url}/xiaozhi/ota/`, { mac, clientId })
const serverAt = ({ url }: Serving, secret: string) => new VoiceServer({ url: `${url}/xiaozhi`, secret })
const secretOf = async () =>
  (await call('POST', `${PARAMS}/reveal`, { code: 'server.secret', reason: '配置语音服务' })).data.value as string
const count = async (text: string, values: unknown[] = []) =>
  Number((await database.query(`select count(*) as n from ${text}`, values)).rows[0].n)
async function put(code: string, value: string) {
  const { list } = (await call('GET', PARAMS)).data
  const { rev } = list.find((each: { code: string }) => each.code === code)
  const { code: answer, msg } = await call('PUT', PARAMS, { code, value, remark: '', rev })
  expect(answer, msg).toBe(200)
}

describe('one process for the console and two processes for devices', () => {
  test('AGENT-01 AGENT-02 AGENT-04 FAULT a device can boot, be bound, poll and connect at different processes', async () => {
    const mac = '02:00:00:00:09:01'
    const [one, two] = wires
    const booted = deviceAt(one, mac)
    const { activation } = await booted.boot()
    expect(await booted.activate()).toBe(202)
    const secret = await secretOf()
    const server = serverAt(two, secret)
    await expect(server.connect(mac)).rejects.toMatchObject({ code: 10_042, message: activation.code })
    expect((await fetch(`${people.url}/xiaozhi/ota/`, { method: 'POST', headers: { 'device-id': mac } })).status).toBe(
      404,
    )

    expect(await bind(activation.code)).toMatchObject({ code: 200 })
    const elsewhere = deviceAt(two, mac, booted.clientId)
    expect(await elsewhere.activate()).toBe(200)
    expect(await booted.activate()).toBe(200)
    const answer = await elsewhere.boot()
    expect([answer.activation, answer.websocket.token]).toEqual([undefined, expect.stringMatching(/^[\w-]+\.\d+$/)])
    for (const each of wires)
      expect(await serverAt(each, secret).connect(mac.toUpperCase(), booted.clientId)).toMatchObject({
        chat_history_conf: 1,
      })
  })

  test('AGENT-03 FAULT both secrets are valid while the secret changes under load, and later only the new one', {
    timeout: 120_000,
  }, async () => {
    const before = await secretOf()
    let isRunning = true
    const answers: unknown[] = []
    let calls = 0
    const lane = async (server: VoiceServer) => {
      while (isRunning) {
        await server.start().catch((error: unknown) => answers.push(error))
        calls += 1
      }
    }
    const lanes = [...wires, ...wires].map((each) => lane(serverAt(each, before)))
    expect((await call('POST', `${PARAMS}/secret`, {})).code).toBe(200)
    const after = await secretOf()
    expect(after).not.toBe(before)
    // The first call with the new secret may arrive before the notification.
    lanes.push(...wires.map((each) => lane(serverAt(each, after))))
    await sleep(1000)
    isRunning = false
    await Promise.all(lanes)
    expect(answers).toEqual([])
    expect(calls).toBeGreaterThan(6)
    expect((await call('DELETE', `${PARAMS}/secret`)).code).toBe(200)
    for (const each of wires) {
      const refused = () =>
        serverAt(each, before)
          .start()
          .then(
            () => undefined,
            ({ code }) => code === 401 || undefined,
          )
      expect(await pollUntil(5000, 20, refused)).toBe(true)
      await serverAt(each, after).start()
    }
  })

  test('AGENT-06 FAULT a changed parameter applies in both processes within 500 ms', async () => {
    const secret = await secretOf()
    const servers = wires.map((each) => serverAt(each, secret))
    for (const server of servers) await server.start()
    await put('tts_timeout', '33')
    const since = performance.now()
    /** Returns the time after the change at which the last call with the old value began. */
    const lastOld = async (server: VoiceServer) => {
      let last = 0
      for (;;) {
        const begin = performance.now() - since
        await server.start()
        if (server.config.tts_timeout === 33) return last
        last = begin
      }
    }
    for (const delay of await Promise.all(servers.map(lastOld))) expect(delay).toBeLessThan(500)
  })

  test('AGENT-11 FAULT another process accepts the one-time id of a restart command once', async () => {
    const server = serverAt(wires[1], await secretOf())
    await server.listen()
    try {
      await put('server.websocket', server.address)
      for (const action of ['update_config', 'restart'])
        expect(await call('POST', `${PARAMS}/servers/action`, { address: server.address, action })).toMatchObject({
          code: 200,
        })
      expect(server.actions).toEqual(['update_config', 'restart'])
      const [temporary] = (await database.query(`select id from challenges where kind = 'voice-action'`)).rows
      expect(temporary).toBeUndefined()
    } finally {
      await server.close()
      await put('server.websocket', '')
    }
  })

  test.each([
    ['right', Date.now(), 1],
    // Several rounds, because the processes insert at the same moment only by chance.
    ['wrong', 1_000_000_000_000, 20],
  ] as const)(
    'AGENT-02 FAULT fifty identical reports with a %s clock to two processes store one turn',
    async (_, since, rounds) => {
      const secret = await secretOf()
      const session = randomUUID()
      for (let round = 0; round < rounds; round += 1) {
        const turn = { mac: '02:00:00:00:09:01', session, kind: 1, content: '一次', time: since + round } as const
        const sent = Array.from({ length: 50 }, (_, at) => serverAt(wires[at % 2]!, secret).report(turn))
        expect(new Set(await Promise.all(sent))).toEqual(new Set([true]))
        const turns = round + 1
        expect(
          (await database.query('select turns, characters from agent_sessions where session_id = $1', [session])).rows,
        ).toEqual([{ turns, characters: 2 * turns }])
        const stored = 'agent_turns where session_row_id = (select id from agent_sessions where session_id = $1)'
        expect(await count(stored, [session])).toBe(turns)
      }
    },
  )
})

const DEVICES = 24
const TURNS = 4
const KILLS = 6
const CLOCK_2001 = 1_000_000_000_000

describe('kill -9 of random processes', () => {
  const today = Date.now()
  /** Repeats a step until it is acknowledged, at a random living process, as devices and voice servers do. */
  const insist = async <T>(step: (wire: Serving) => Promise<T | undefined>): Promise<T> => {
    const done = await pollUntil(120_000, 50, () => step(wires[randomInt(2)]!).catch(() => undefined))
    expect(done).toBeDefined()
    return done!
  }

  /** Boots, is bound, talks and ends one session. Devices with an odd number report with a clock of 2001. */
  async function live(at: number, secret: string) {
    const mac = `02:00:00:00:0a:${at.toString(16).padStart(2, '0')}`
    const clientId = randomUUID()
    const isBound = async (wire: Serving) =>
      (await deviceAt(wire, mac, clientId).activate()) === 200 ? true : undefined
    const code = await insist(async (wire) => (await deviceAt(wire, mac, clientId).boot()).activation.code as string)
    await pollUntil(120_000, 50, async () => {
      const answer = await bind(code).catch(() => undefined)
      // A bind that was committed before the kill leaves no code.
      return answer?.code === 200 || (await isBound(wires[randomInt(2)]!).catch(() => undefined)) ? true : undefined
    })
    await insist(isBound)
    for (let turn = 0; turn < TURNS; turn += 1) {
      const said = {
        mac,
        session: `kill-${at}`,
        kind: 1,
        content: `第${turn}句话`,
        time: (at % 2 === 1 ? CLOCK_2001 : today) + turn,
      } as const
      await Promise.all(
        [0, 1].map(() => insist(async (wire) => (await serverAt(wire, secret).report(said)) === true || undefined)),
      )
    }
    await insist((wire) =>
      serverAt(wire, secret)
        .end(`kill-${at}`)
        .then(() => true),
    )
    return code
  }

  async function killOne() {
    const victim = randomInt(3)
    const server = victim === 2 ? people : wires[victim]!
    server.child.kill('SIGKILL')
    await server.gone
    if (victim === 2) people = await asConsole()
    else wires[victim] = await asWire()
  }

  test('AGENT-02 AGENT-04 FAULT after kill -9, codes are unique, turns are stored once, and bindings keep their agent', {
    timeout: 400_000,
  }, async () => {
    const secret = await secretOf()
    const lives = Promise.all(
      Array.from({ length: DEVICES }, async (_, at) => {
        await sleep(randomInt(3000))
        return live(at, secret)
      }),
    )
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(200 + randomInt(600))
      await killOne()
    }
    expect(new Set(await lives).size).toBe(DEVICES)
    const mine = `mac like '020000000a%'`
    expect(await count(`devices where ${mine}`)).toBe(DEVICES)
    expect(await count(`agent_devices where ${mine} and agent_id = $1`, [agentId])).toBe(DEVICES)
    expect(
      await count(`agent_devices a left join devices d on d.id = a.device_id where d.mac is distinct from a.mac`),
    ).toBe(0)
    expect(await count(`agent_events where ${mine} and kind = 3`)).toBe(DEVICES)
    expect(
      await count(
        `oper_logs where biz_type = 'agentDevice' and status = 1 and action like '按验证码绑定设备「020000000a%'`,
      ),
    ).toBe(DEVICES)
    const sessions = `agent_sessions s where s.session_id like 'kill-%'`
    expect(await count(sessions)).toBe(DEVICES)
    expect(await count(`agent_turns where session_row_id in (select id from ${sessions})`)).toBe(DEVICES * TURNS)
    expect(
      await count(`${sessions} and (s.turns <> ${TURNS} or s.characters <> ${TURNS * 4} or s.end_time is null)`),
    ).toBe(0)
    // The title of each session is written although the process that took the work was killed.
    const untitled = async () => ((await count(`${sessions} and s.title <> '第0句话'`)) === 0 ? true : undefined)
    expect(await pollUntil(180_000, 500, untitled)).toBe(true)
  })
})
