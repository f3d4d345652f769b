import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { type SynthesisInput, SYNTHESIS_REQUESTS } from './synthesis-requests.ts'

const speech: SynthesisInput = { text: '你好', voice: '101001', referenceAudio: '', referenceText: '' }
const build = (provider: string, config: object) =>
  SYNTHESIS_REQUESTS[provider]!(config as Readonly<Record<string, unknown>>, speech)
const bodyOf = (provider: string, config: object) =>
  JSON.parse(build(provider, config).body!) as Record<string, unknown>

test('AGENT-06 a request to Tencent Cloud is signed with TC3-HMAC-SHA256', () => {
  const { headers, body, url } = build('tencent', { secret_id: 'AKID', secret_key: 'key', region: 'ap-guangzhou' })
  const seconds = headers['x-tc-timestamp']!
  const day = new Date(Number(seconds) * 1000).toISOString().slice(0, 10)
  const sha = (text: string) => createHash('sha256').update(text).digest('hex')
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const request = [
    'POST',
    '/',
    '',
    'content-type:application/json',
    'host:tts.tencentcloudapi.com',
    '',
    'content-type;host',
  ]
  const canonical = [...request, sha(body!)].join('\n')
  const scope = `${day}/tts/tc3_request`
  const key = ['tts', 'tc3_request'].reduce((each, text) => mac(each, text), mac('TC3key', day))
  const signature = mac(key, ['TC3-HMAC-SHA256', seconds, scope, sha(canonical)].join('\n')).toString('hex')
  expect(headers['authorization']).toBe(
    `TC3-HMAC-SHA256 Credential=AKID/${scope}, SignedHeaders=content-type;host, Signature=${signature}`,
  )
  expect([url, headers['x-tc-action'], headers['x-tc-region']]).toEqual([
    'https://tts.tencentcloudapi.com/',
    'TextToVoice',
    'ap-guangzhou',
  ])
  expect(JSON.parse(body!)).toMatchObject({ Text: '你好', VoiceType: 101_001, Codec: 'wav' })
})

test('AGENT-06 requests to vendors with a fixed address contain key, voice and text', () => {
  expect(build('siliconflow', { access_token: 'k', model: 'm' })).toMatchObject({
    url: 'https://api.siliconflow.cn/v1/audio/speech',
    headers: { authorization: 'Bearer k' },
  })
  expect(bodyOf('siliconflow', { model: 'm' })).toMatchObject({ model: 'm', input: '你好', voice: '101001' })
  expect(build('cozecn', {}).url).toBe('https://api.coze.cn/v1/audio/speech')
  expect(bodyOf('cozecn', { speed: '2' })).toMatchObject({ voice_id: '101001', input: '你好', speed: 2 })
  expect(build('minimax_httpstream', { group_id: 'g 1' }).url).toBe('https://api.minimaxi.com/v1/t2a_v2?GroupId=g+1')
  expect(bodyOf('minimax_httpstream', { voice_setting: { vol: 2, voice_id: 'x' } })).toMatchObject({
    text: '你好',
    stream: false,
    voice_setting: { vol: 2, voice_id: '101001', speed: 1 },
  })
})

test('AGENT-06 an empty number in the configuration is replaced by the default of the voice server', () => {
  expect(bodyOf('openai', { speed: '' })).toMatchObject({ speed: 1, model: 'tts-1' })
  expect(bodyOf('gpt_sovits_v2', { url: 'http://a/', top_k: null, split_bucket: false })).toMatchObject({
    top_k: 5,
    split_bucket: false,
    parallel_infer: true,
  })
})
