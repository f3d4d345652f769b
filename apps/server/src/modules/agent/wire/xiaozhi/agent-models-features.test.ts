import { describe, expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const ask = async (macAddress: string) =>
  (await oms.call('config/agent-models', { body: { macAddress, clientId: 'c', selectedModule: {} } })).json()

describe('features of a tenant', () => {
  test('AGENT-06 the configuration lists the datasets of the knowledge plugin, unless the feature knowledge is off', async () => {
    const params = { base_url: 'http://rag.test', dataset_ids: 'one; two；' }
    const plugins = JSON.stringify([{ providerCode: 'search_from_ragflow', params }])
    const { mac } = await oms.bound(await oms.agent({ plugins }))
    const { search_from_ragflow: text } = (await ask(mac)).data.plugins
    expect(JSON.parse(text)).toEqual({ base_url: 'http://rag.test', dataset_ids: ['one', 'two'] })
    await oms.param('features', '{"knowledge":false}')
    expect((await ask(mac)).data.plugins).toEqual({})
    await oms.param('features', '{"knowledge":true}')
  })
})
