import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { SynthesisInput, SynthesisRequest } from './synthesis-requests.ts'

const HOST = 'tts.tencentcloudapi.com'
const SIGNED = 'content-type;host'

/** Values of a Tencent Cloud model. */
interface TencentConfig {
  readonly secretId: string
  readonly secretKey: string
  readonly region: string
  readonly speed: number
  readonly volume: number
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Returns the header `authorization` of a call of Tencent Cloud with the signature TC3-HMAC-SHA256. */
function sign({ secretId, secretKey }: TencentConfig, body: string, seconds: number): string {
  const day = new Date(seconds * 1000).toISOString().slice(0, 10)
  const scope = `${day}/tts/tc3_request`
  const canonical = `POST\n/\n\ncontent-type:application/json\nhost:${HOST}\n\n${SIGNED}\n${sha256(body)}`
  const key = hmac(hmac(hmac(`TC3${secretKey}`, day), 'tts'), 'tc3_request')
  const signature = hmac(key, `TC3-HMAC-SHA256\n${seconds}\n${scope}\n${sha256(canonical)}`).toString('hex')
  return `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`
}

/** Builds the request `TextToVoice`. The signature is valid for five minutes after `nowMs`. */
export function buildTencentRequest(
  config: TencentConfig,
  { text, voice }: SynthesisInput,
  nowMs: number,
): SynthesisRequest {
  const seconds = Math.floor(nowMs / 1000)
  const body = JSON.stringify({
    Text: text,
    SessionId: randomUUID(),
    VoiceType: Number(voice),
    Codec: 'wav',
    Volume: config.volume,
    Speed: config.speed,
    SampleRate: 16_000,
  })
  const headers = {
    'content-type': 'application/json',
    authorization: sign(config, body, seconds),
    'x-tc-action': 'TextToVoice',
    'x-tc-timestamp': String(seconds),
    'x-tc-version': '2019-08-23',
    ...(config.region && { 'x-tc-region': config.region }),
    'x-tc-language': 'zh-CN',
  }
  return {
    url: `https://${HOST}/`,
    method: 'POST',
    headers,
    body,
    responseFormat: { encoding: 'base64', path: ['Response', 'Audio'] },
  }
}
