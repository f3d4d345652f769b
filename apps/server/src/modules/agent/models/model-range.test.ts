import { eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { agentModels } from '../schema/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const MODEL = '/api/v1/agent/config'
const CONFIG = { base_url: 'http://127.0.0.1:9/v1', model_name: 'm' }
let admin: Caller
let made = 0

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

function create(config: object) {
  made += 1
  const input = { type: 'LLM', code: `LLM_range_${made}`, name: `范围${made}`, providerCode: 'openai' }
  return admin.call('POST', MODEL, { ...input, config: { ...CONFIG, ...config } })
}

test.each([
  [{ temperature: 99 }, '温度不能大于2', 'temperature'],
  [{ temperature: '-0.1' }, '温度不能小于0', 'temperature'],
  [{ max_tokens: -1 }, '最大令牌数不能小于1', 'max_tokens'],
  [{ max_tokens: 1.5 }, '最大令牌数应为整数', 'max_tokens'],
  [{ top_p: 5 }, 'top_p不能大于1', 'top_p'],
  [{ frequency_penalty: -3 }, '频率惩罚不能小于-2', 'frequency_penalty'],
])('AGENT-06 a model with %o is refused, because every vendor refuses the value: %s', async (config, msg, key) => {
  expect(await create(config)).toEqual({ code: 400, msg, data: { field: `config.${key}` } })
})

test('a refused model names every wrong field', async () => {
  const { msg, data } = await create({ temperature: 99, max_tokens: -1 })
  expect(msg).toBe('温度不能大于2')
  expect(data.fields.map(({ field }: { field: string }) => field).sort()).toEqual([
    'config.max_tokens',
    'config.temperature',
  ])
})

test('AGENT-06 the minimum and the maximum of a range and an empty number are accepted', async () => {
  const config = { temperature: 2, max_tokens: 1, top_p: '0', frequency_penalty: -2, top_k: '' }
  expect(await create(config)).toMatchObject({ code: 200 })
})

test('AGENT-06 a stored number outside its range does not block changes of other fields, only its own change', async () => {
  const { id } = (await create({})).data
  const config = { ...CONFIG, temperature: 99, max_tokens: 1.5 }
  await app.db.update(agentModels).set({ config }).where(eq(agentModels.id, id))
  const form = async (over: object) => {
    const { rev, name } = (await admin.call('GET', `${MODEL}/${id}`)).data
    return admin.call('PUT', MODEL, { id, rev, name, config, ...over })
  }
  expect(await form({ remark: '只改备注' })).toMatchObject({ code: 200 })
  expect((await admin.call('GET', `${MODEL}/${id}`)).data).toMatchObject({ remark: '只改备注', config })
  const changed = await form({ config: { ...config, temperature: 98 } })
  expect(changed).toMatchObject({ msg: '温度不能大于2', data: { field: 'config.temperature' } })
  const fraction = await form({ config: { ...config, max_tokens: 2.5 } })
  expect(fraction).toMatchObject({ msg: '最大令牌数应为整数', data: { field: 'config.max_tokens' } })
})

test('a provider field whose maximum is below its minimum is refused', async () => {
  const field = { key: 'speed', label: '语速', type: 'number', min: 2, max: 1 }
  const input = { type: 'TTS', code: 'range_test', name: '范围测试', fields: [field] }
  expect(await admin.call('POST', `${MODEL}/provider`, input)).toMatchObject({
    code: 400,
    msg: '最大值不能小于最小值',
    data: { field: 'fields.0.max' },
  })
})
