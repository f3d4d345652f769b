import { expect, test } from 'vitest'
import { findConfigProblems } from './model-config.ts'

const field = (key: string) => ({ key, label: '接口地址', type: 'string' }) as const
const problem = (key: string, value: string) => findConfigProblems([field(key)], { [key]: value })[0]?.msg

test.each([
  ['base_url', 'api.deepseek.com', 'http:// 或 https://'],
  ['base_url', 'localhost:11434/v1', 'http:// 或 https://'],
  ['base_url', 'htp://api.deepseek.com', 'http:// 或 https://'],
  ['base_url', 'https://', 'http:// 或 https://'],
  ['api_url', 'ws://127.0.0.1/tts', 'http:// 或 https://'],
  ['ws_url', 'https://openspeech.example/tts', 'ws:// 或 wss://'],
  ['embedding_openai_base_url', 'api.openai.com/v1', 'http:// 或 https://'],
  ['url', '127.0.0.1:9880', 'http://、https://、ws:// 或 wss://'],
])(
  'AGENT-06 the model setting %s = %s is refused, because its URL scheme is missing or wrong',
  (key, value, expected) => {
    expect(problem(key, value)).toBe(`接口地址应以 ${expected} 开头`)
  },
)

test.each([
  ['base_url', 'http://127.0.0.1:11434'],
  ['base_url', ' HTTPS://open.bigmodel.cn/api/paas/v4/ '],
  ['ws_url', 'wss://openspeech.example/tts'],
  ['url', 'ws://127.0.0.1:8092/paddlespeech/tts/streaming'],
  ['url', 'http://127.0.0.1:9880/tts'],
  ['host', '127.0.0.1'],
  ['url', ''],
])('AGENT-06 the model setting %s = %s is accepted', (key, value) => {
  expect(problem(key, value)).toBeUndefined()
})
