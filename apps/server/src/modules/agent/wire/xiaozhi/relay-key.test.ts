import { describe, expect, test } from 'vitest'
import { errorOf, QUESTION, relayLab } from '#test/fixtures/relay-fixture.ts'

const { oms, lab, ask, keyFor } = relayLab()

describe('keys and bodies', () => {
  const DAY = 86_400_000

  test('AGENT-17 the relay refuses a changed, wrong or expired key before it reads the body', async () => {
    const key = keyFor()
    const changed = `1${key}`
    for (const wrong of ['x', changed, `${key}x`, await oms.secret(), keyFor({}, Date.now() - DAY - 2000)]) {
      const answer = await ask('no json', wrong)
      expect(answer.status).toBe(401)
      expect((await errorOf(answer)).code).toBe('invalid_api_key')
    }
    expect(lab.vendor.calls).toEqual([])
  })

  test('AGENT-17 the relay refuses the key of a moved device, of a disabled agent and of a model without the relay', async () => {
    const key = keyFor()
    expect((await ask(QUESTION, keyFor({ agentId: await oms.agent() }))).status).toBe(401)
    expect((await ask(QUESTION, keyFor({ deviceId: 999_999 }))).status).toBe(401)
    expect((await ask(QUESTION, keyFor({ modelId: oms.ids['llm'] }))).status).toBe(401)
    for (const [table, column, id] of [
      ['agents', 'status', lab.agentId],
      ['devices', 'status', lab.device.id],
    ] as const) {
      await oms.query(`update ${table} set ${column} = 0 where id = $1`, [id])
      expect(
        (await fetch(`${oms.origin()}/xiaozhi/llm/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status,
      ).toBe(401)
      await oms.query(`update ${table} set ${column} = 1 where id = $1`, [id])
    }
    expect((await ask(QUESTION, key)).status).toBe(200)
  })

  test('AGENT-17 the relay refuses invalid bodies and bodies above 1 MB', async () => {
    for (const body of ['', '{', '[]', '{"messages":[]}', '{"messages":"x"}', { messages: [1] }])
      expect((await ask(body)).status).toBe(400)
    const large = { ...QUESTION, messages: [{ role: 'user', content: 'x'.repeat(1024 * 1024) }] }
    expect((await ask(large)).status).toBe(413)
    expect(lab.vendor.calls).toEqual([])
  })

  test('AGENT-17 the relay refuses the private address of a model of a tenant', async () => {
    const moveTo = async (tenantId: number, fallback: number | null) => {
      const values = [tenantId, fallback, lab.main]
      await oms.query('update agent_models set tenant_id = $1, fallback_model_id = $2 where id = $3', values)
      await oms.query('update agents set tenant_id = $1 where id = $2', [tenantId, lab.agentId])
      await oms.query('update devices set tenant_id = $1 where id = $2', [tenantId, lab.device.id])
      await oms.query('update agent_devices set tenant_id = $1 where device_id = $2', [tenantId, lab.device.id])
    }
    await moveTo(7, null)
    const answer = await ask()
    await moveTo(1, lab.fallback)
    expect([answer.status, (await errorOf(answer)).code]).toEqual([502, 'vendor_address'])
    expect(lab.vendor.calls).toEqual([])
  })
})
