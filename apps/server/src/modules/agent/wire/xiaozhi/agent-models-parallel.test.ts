import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const COUNT = 50
const times = <T>(work: (at: number) => Promise<T>) => Promise.all(Array.from({ length: COUNT }, (_, at) => work(at)))

/** Calls with a new connection, as the client of voice servers does. */
const call = (secret: string, path: string, body: object) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  new Promise<any>((done, fail) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', connection: 'close' }
    const url = `${oms.origin()}/xiaozhi/${path}`
    httpRequest(url, { method: 'POST', headers, agent: false }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('error', fail).on('end', () => done(JSON.parse(Buffer.concat(chunks).toString())))
    })
      .on('error', fail)
      .end(JSON.stringify(body))
  })

describe('fifty simultaneous calls on separate connections', () => {
  test('AGENT-02 fifty simultaneous agent-models calls each get their own agent, with any notation of the MAC address', async () => {
    const secret = await oms.secret()
    const agents = [await oms.agent({ agent_name: '甲' }), await oms.agent({ agent_name: '乙' })]
    const devices = await times((at) => oms.bound(agents[at % 2]!))
    const answers = await times((at) => {
      const { mac } = devices[at]!
      const spelled = [mac, mac.toUpperCase(), mac.replaceAll(':', '-'), ` ${mac} `][at % 4]
      return call(secret, 'config/agent-models', { macAddress: spelled, clientId: 'c', selectedModule: {} })
    })
    expect(answers.map(({ code, data }) => [code, data?.prompt])).toEqual(
      answers.map((_, at) => [0, at % 2 === 0 ? '你是甲' : '你是乙']),
    )
  })

  test('AGENT-02 fifty simultaneous identical reports store one turn', async () => {
    const secret = await oms.secret()
    const { mac } = await oms.bound(await oms.agent())
    const said = { macAddress: mac, sessionId: 'same', chatType: 1, content: '你好', reportTime: Date.now() }
    const answers = await times((at) =>
      call(secret, 'agent/chat-history/report', { ...said, macAddress: at % 2 === 0 ? mac : mac.toUpperCase() }),
    )
    expect(answers.every(({ code, data }) => code === 0 && data === true)).toBe(true)
    expect(await oms.query(`select turns, characters from agent_sessions where session_id = 'same'`)).toEqual([
      { turns: 1, characters: 2 },
    ])
  })

  test('AGENT-03 fifty simultaneous calls each get the response that belongs to their secret', async () => {
    const [platform, own] = [await oms.secret(), 'own-secret-of-acme-0123456789']
    await oms.ownSecret(7, own)
    const [ours, theirs] = [await oms.bound(await oms.agent()), await oms.bound(await oms.agent({ tenant_id: 7 }), 7)]
    const secrets = [platform, own, `${own}x`, own.toUpperCase(), '']
    const answers = await times((at) =>
      call(secrets[at % 5]!, 'config/agent-models', {
        macAddress: (at % 2 === 0 ? ours : theirs).mac,
        clientId: 'c',
        selectedModule: {},
      }),
    )
    expect(answers.map(({ code }) => code)).toEqual(
      answers.map((_, at) => [0, at % 2 === 0 ? 10_041 : 0, 401, 401, 401][at % 5]),
    )
  })
})
