import { randomUUID, createHash, createHmac } from 'node:crypto'

type Config = Readonly<Record<string, unknown>>

/** Input of a speech synthesis: the text, and the voice of the text-to-speech model. */
export interface SynthesisInput {
  readonly text: string
  /** Code of the voice at the vendor. */
  readonly voice: string
  /**
   * Reference recording for voice-cloning models, as entered. Empty: the recording in the configuration of the model.
   */
  readonly referenceAudio: string
  /** Text of the reference recording. Empty: the text in the configuration of the model. */
  readonly referenceText: string
}

/** An audio file in a field of a JSON document. `path`: the keys that lead to the field. */
export interface EncodedAudio {
  readonly encoding: 'base64' | 'hex'
  readonly path: readonly string[]
}

/** One request to a vendor. */
export interface SynthesisRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Form of the response: an audio file (default), raw samples, or an audio file in a field of a JSON document. */
  readonly responseFormat?: 'file' | 'pcm' | EncodedAudio
}

const textOf = (value: unknown, fallback = ''): string =>
  (typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '') || fallback

const numberOf = (value: unknown, fallback: number): number => {
  const number = Number(textOf(value, 'NaN'))
  return Number.isFinite(number) ? number : fallback
}
const isTrue = (value: unknown, fallback: boolean): boolean =>
  value === undefined || value === null || value === ''
    ? fallback
    : ['true', '1', 'yes'].includes(String(value).toLowerCase())
const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : textOf(value).split(';').filter(Boolean)
const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const post = (url: string, authorization: string, body: object): SynthesisRequest => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
  body: JSON.stringify(body),
})
const bearer = (key: unknown) => (textOf(key) === '' ? '' : `Bearer ${textOf(key)}`)

/** Adds values to the query of an address. A list becomes repeated keys. */
function withQuery(address: string, values: Readonly<Record<string, unknown>>): string {
  const url = new URL(address)
  for (const [key, value] of Object.entries(values))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null && each !== '') url.searchParams.append(key, String(each))
  return url.href
}

const openai = (config: Config, { text, voice }: SynthesisInput) =>
  post(textOf(config['api_url'], 'https://api.openai.com/v1/audio/speech'), bearer(config['api_key']), {
    model: textOf(config['model'], 'tts-1'),
    input: text,
    voice,
    response_format: 'wav',
    speed: numberOf(config['speed'], 1),
  })

const siliconflow = (config: Config, { text, voice }: SynthesisInput) =>
  post('https://api.siliconflow.cn/v1/audio/speech', bearer(config['access_token']), {
    model: textOf(config['model']),
    input: text,
    voice,
    response_format: 'mp3',
  })

const cozecn = (config: Config, { text, voice }: SynthesisInput) =>
  post('https://api.coze.cn/v1/audio/speech', bearer(config['access_token']), {
    input: text,
    voice_id: voice,
    response_format: 'wav',
    sample_rate: 24_000,
    speed: Math.trunc(numberOf(config['speed'], 0)),
    loudness_rate: Math.trunc(numberOf(config['loudness_rate'], 0)),
  })

/** The vendor's header has no space between the scheme and the token: `Bearer;token`. */
const doubao = (config: Config, { text, voice }: SynthesisInput): SynthesisRequest => ({
  ...post(textOf(config['api_url']), `${textOf(config['authorization'])}${textOf(config['access_token'])}`, {
    app: {
      appid: textOf(config['appid']),
      token: textOf(config['access_token']),
      cluster: textOf(config['cluster']),
    },
    user: { uid: '1' },
    audio: {
      voice_type: voice,
      encoding: 'wav',
      speed_ratio: numberOf(config['speed_ratio'], 1),
      volume_ratio: numberOf(config['volume_ratio'], 1),
      pitch_ratio: numberOf(config['pitch_ratio'], 1),
    },
    request: {
      reqid: randomUUID(),
      text,
      text_type: 'plain',
      operation: 'query',
      with_frontend: 1,
      frontend_type: 'unitTson',
    },
  }),
  responseFormat: { encoding: 'base64', path: ['data'] },
})

function minimax(config: Config, { text, voice }: SynthesisInput): SynthesisRequest {
  const setting = { speed: 1, vol: 1, pitch: 0, ...objectOf(config['voice_setting']), voice_id: voice }
  const url = withQuery('https://api.minimaxi.com/v1/t2a_v2', { GroupId: textOf(config['group_id']) })
  const body = {
    model: textOf(config['model']),
    text,
    stream: false,
    voice_setting: setting,
    pronunciation_dict: objectOf(config['pronunciation_dict']),
    audio_setting: { sample_rate: 24_000, bitrate: 128_000, format: 'mp3', channel: 1 },
  }
  return { ...post(url, bearer(config['api_key']), body), responseFormat: { encoding: 'hex', path: ['data', 'audio'] } }
}

const soVitsV2 = (config: Config, { text, referenceAudio, referenceText }: SynthesisInput) =>
  post(textOf(config['url']), '', {
    text,
    text_lang: textOf(config['text_lang'], 'auto'),
    ref_audio_path: referenceAudio || textOf(config['ref_audio_path']),
    aux_ref_audio_paths: listOf(config['aux_ref_audio_paths']),
    prompt_text: referenceText || textOf(config['prompt_text']),
    prompt_lang: textOf(config['prompt_lang'], 'zh'),
    top_k: numberOf(config['top_k'], 5),
    top_p: numberOf(config['top_p'], 1),
    temperature: numberOf(config['temperature'], 1),
    text_split_method: textOf(config['text_split_method'], 'cut0'),
    batch_size: numberOf(config['batch_size'], 1),
    batch_threshold: numberOf(config['batch_threshold'], 0.75),
    split_bucket: isTrue(config['split_bucket'], true),
    return_fragment: isTrue(config['return_fragment'], false),
    speed_factor: numberOf(config['speed_factor'], 1),
    streaming_mode: false,
    seed: numberOf(config['seed'], -1),
    parallel_infer: isTrue(config['parallel_infer'], true),
    repetition_penalty: numberOf(config['repetition_penalty'], 1.35),
  })

const soVitsV3 = (config: Config, { text, referenceAudio, referenceText }: SynthesisInput): SynthesisRequest => ({
  url: withQuery(textOf(config['url']), {
    refer_wav_path: referenceAudio || textOf(config['refer_wav_path']),
    prompt_text: referenceText || textOf(config['prompt_text']),
    prompt_language: textOf(config['prompt_language']),
    text,
    text_language: textOf(config['text_language'], 'auto'),
    top_k: numberOf(config['top_k'], 15),
    top_p: numberOf(config['top_p'], 1),
    temperature: numberOf(config['temperature'], 1),
    cut_punc: textOf(config['cut_punc']),
    speed: numberOf(config['speed'], 1),
    inp_refs: listOf(config['inp_refs']),
    sample_steps: numberOf(config['sample_steps'], 32),
    if_sr: isTrue(config['if_sr'], false),
  }),
  method: 'GET',
  headers: {},
})

const indexStream = (config: Config, { text, voice }: SynthesisInput): SynthesisRequest => ({
  ...post(textOf(config['api_url']), '', { text, character: voice }),
  responseFormat: 'pcm',
})

const tencent = (config: Config, speech: SynthesisInput) =>
  buildTencentRequest(
    {
      secretId: textOf(config['secret_id']),
      secretKey: textOf(config['secret_key']),
      region: textOf(config['region']),
      speed: numberOf(config['speed'], 0),
      volume: numberOf(config['volume'], 0),
    },
    speech,
    Date.now(),
  )

/**
 * Replaces `{prompt_text}` in a parameter by the text. The interface of the voice server has no parameter for the
 * voice.
 */
function custom(config: Config, { text }: SynthesisInput): SynthesisRequest {
  const params = Object.fromEntries(
    Object.entries(objectOf(config['params'])).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replaceAll('{prompt_text}', () => text) : value,
    ]),
  )
  const headers = Object.fromEntries(
    Object.entries(objectOf(config['headers'])).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  const url = textOf(config['url'])
  if (textOf(config['method']).toUpperCase() !== 'POST') return { url: withQuery(url, params), method: 'GET', headers }
  const request = post(url, '', params)
  return { ...request, headers: { ...request.headers, ...headers } }
}

/**
 * Functions that build the request of a provider, for providers that respond to one HTTP request with audio. The
 * requests equal those of the voice server (`core/providers/tts`). The other providers stream over WebSocket, or need a
 * token of another service.
 */
export const SYNTHESIS_REQUESTS: Readonly<
  Record<string, (config: Config, speech: SynthesisInput) => SynthesisRequest>
> = {
  openai,
  siliconflow,
  cozecn,
  doubao,
  minimax_httpstream: minimax,
  gpt_sovits_v2: soVitsV2,
  gpt_sovits_v3: soVitsV3,
  index_stream: indexStream,
  tencent,
  custom,
}

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
function buildTencentRequest(config: TencentConfig, { text, voice }: SynthesisInput, nowMs: number): SynthesisRequest {
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
