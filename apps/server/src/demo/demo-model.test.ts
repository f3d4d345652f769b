import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Services } from '#core/services.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { streamChat, readLlmEndpoint } from '#modules/agent/models/llm-chat.ts'
import { createDemoAnswer, serveDemoModel } from './demo-model.ts'

const app = Fastify()
let base_url = ''
beforeAll(async () => {
  serveDemoModel(app as never, { rate: { take: () => {} } } as unknown as Services)
  base_url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/demo-llm/v1`
})
afterAll(() => app.close())

test('the demo model streams a completion that the chat client can parse, with token counts', async () => {
  const call = {
    endpoint: readLlmEndpoint({ type: 'openai', base_url, model_name: 'oms-demo' }),
    messages: [
      { role: 'system' as const, content: '你是湾湾小何，来自台湾的女孩。' },
      { role: 'user' as const, content: '你好，你是谁？' },
    ],
    policy: selectAddressPolicy({ outboundPrivate: [] }, 'platform'),
  }
  let text = ''
  let pieces = 0
  let output = 0
  for await (const event of streamChat(call)) {
    if (event.type === 'text') {
      text += event.text
      pieces += 1
    }
    if (event.type === 'usage') output = event.usage.output
  }
  expect(text).toContain('我是湾湾小何')
  expect(pieces).toBeGreaterThan(5)
  expect(output).toBeGreaterThan(10)
})

test('the demo model answers by rules: it repeats the memory, and calls itself a demo when no rule matches', () => {
  const memory = { role: 'system', content: '你是小智\n\n<memory>\n主人姓王\n</memory>' }
  expect(createDemoAnswer([memory, { role: 'user', content: '你记得我吗' }])).toBe('我记得：主人姓王')
  expect(createDemoAnswer([{ role: 'user', content: '量子力学' }])).toContain('演示模型')
})

test.each([
  ['你是海川 小管家，一个热心的助手。', '我是海川 小管家，'],
  ['你叫 Teacher Amy. You teach.', '我是Teacher Amy，'],
  ['你是小智\n\n你会讲故事', '我是小智，'],
  ['你是一个英语老师。', '我是英语老师，'],
])('with the prompt %j the demo model introduces itself with %s', (content, introduction) =>
  expect(
    createDemoAnswer([
      { role: 'system', content },
      { role: 'user', content: '你是谁' },
    ]),
  ).toContain(introduction),
)
