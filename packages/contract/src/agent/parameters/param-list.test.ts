import { expect, test } from 'vitest'
import { PARAMS, findParamError, splitVoiceServerAddresses } from './param-list.ts'

test('the default of every agent parameter is valid, except the generated secret', () => {
  const wrong = PARAMS.filter(({ code, value }) => findParamError(code, value) !== undefined)
  expect(wrong.map(({ code }) => code)).toEqual(['server.secret'])
})

test('the codes of the agent parameters are unique', () => {
  expect(new Set(PARAMS.map(({ code }) => code)).size).toBe(PARAMS.length)
})

test('voice servers receive no secret and no address of another service', () => {
  const handed = PARAMS.filter(({ isHandedOut }) => isHandedOut)
  expect(handed.filter(({ type }) => type === 'secret')).toEqual([])
  expect(handed.filter(({ code }) => code.startsWith('server.')).map(({ code }) => code)).toEqual([
    'server.auth.enabled',
  ])
})

test.each([
  ['server.secret', 'short'],
  ['server.secret', '密钥密钥密钥密钥密钥密钥密钥密钥'],
  ['server.mqtt_signature_key', 'abcdefgh'],
  ['server.mqtt_gateway', 'host'],
  ['server.websocket', 'http://host:8000'],
  ['server.voice_print', 'http://host:8005/voiceprint/health'],
  ['server.voiceprint_similarity_threshold', '1.5'],
  ['tts_timeout', '-1'],
  ['tts_timeout', '1e3'],
  ['enable_greeting', '1'],
  ['history.mode', '2'],
  ['usage.limit', '3'],
  ['usage.notice', ''],
  ['usage.notice', '一\n二'],
  ['xiaozhi', '[]'],
  ['nothing', '1'],
])('the agent parameter %s = %s is refused', (code, value) => {
  expect(findParamError(code, value)).toBeTypeOf('string')
})

test.each([
  ['server.websocket', 'ws://a:8000/xiaozhi/v1/; wss://b/xiaozhi/v1/'],
  ['server.websocket', ''],
  ['server.mqtt_signature_key', 'Abcdefgh'],
  ['server.mcp_endpoint', 'http://host:8004/mcp_endpoint/health?key=abc'],
  ['server.voiceprint_similarity_threshold', '0.55'],
])('the agent parameter %s = %s is accepted', (code, value) => {
  expect(findParamError(code, value)).toBeUndefined()
})

test('a list of voice-server URLs is split at semicolons', () => {
  expect(splitVoiceServerAddresses(' ws://a ;;ws://b;')).toEqual(['ws://a', 'ws://b'])
})
