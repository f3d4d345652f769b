import { type AddressPolicy, selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { sendOutbound } from '#core/outbound/outbound.ts'
import type { Config } from '#core/config/config.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { DecryptedModel } from '../models/model-config.ts'

const DEFAULT_ORIGIN = 'https://openspeech.bytedance.com'
const API = '/api/v1/mega_tts'
const RESOURCE = 'seed-icl-1.0'
/** Kind of the model that the vendor trains: 1 is ICL 1.0. */
const MODEL_TYPE = 1
/** Value of the field `source` that the vendor's API expects. */
const SOURCE = 2
const CHINESE = 0
const LIMITS = { connectMs: 10_000, firstByteMs: 60_000, idleMs: 20_000, totalMs: 90_000, maxBytes: 200_000 }
const MAX_ERROR = 255

/** Refusal by the vendor. Trying again does not help. The message contains no keys. */
export class VoiceCloneError extends Error {
  override readonly name = 'VoiceCloneError'
}

/** State of a voice at the vendor. `version` changes with every training. */
export interface VendorVoice {
  readonly state: 'missing' | 'training' | 'done' | 'failed'
  readonly version: string
}
const STATES: Readonly<Record<number, VendorVoice['state']>> = { 1: 'training', 2: 'done', 3: 'failed', 4: 'done' }

interface VendorResponse {
  readonly BaseResp?: { readonly StatusCode?: unknown; readonly StatusMessage?: unknown }
  readonly status?: unknown
  readonly version?: unknown
  readonly message?: unknown
}

/**
 * Client of the voice cloning API of Volcengine. Uses the same calls as the voice server's own console: `audio/upload`
 * starts a training, and `status` returns its state.
 */
export class VoiceCloneVendor {
  readonly #origin: string
  readonly #appid: string
  readonly #token: string
  readonly #policy: AddressPolicy

  constructor({ config, tenantId }: DecryptedModel, settings: Pick<Config, 'outboundPrivate'>) {
    this.#origin = originOf(config['ws_url'])
    this.#appid = textOf(config['appid'])
    this.#token = textOf(config['access_token'])
    this.#policy = selectAddressPolicy(settings, tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant')
    if (this.#appid === '' || this.#token === '')
      throw new VoiceCloneError('语音合成模型没有填写 AppID 或访问令牌，请先完善模型配置')
  }

  /** Starts a training of the voice with a recording. */
  async train(voiceId: string, audio: Buffer, format: 'mp3' | 'wav', signal: AbortSignal): Promise<void> {
    const body = {
      appid: this.#appid,
      speaker_id: voiceId,
      audios: [{ audio_bytes: audio.toString('base64'), audio_format: format }],
      source: SOURCE,
      language: CHINESE,
      model_type: MODEL_TYPE,
    }
    await this.#post('/audio/upload', body, signal)
  }

  async status(voiceId: string, signal: AbortSignal): Promise<VendorVoice> {
    const answer = await this.#post('/status', { appid: this.#appid, speaker_id: voiceId }, signal)
    return { state: STATES[Number(answer.status)] ?? 'missing', version: textOf(answer.version) }
  }

  /** Sends a call. The vendor's refusals become `VoiceCloneError`; an outage is thrown as another error. */
  async #post(path: string, body: object, signal: AbortSignal): Promise<VendorResponse> {
    const response = await sendOutbound({
      url: `${this.#origin}${API}${path}`,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer;${this.#token}`,
        'resource-id': RESOURCE,
      },
      body: JSON.stringify(body),
      policy: this.#policy,
      limits: LIMITS,
      signal,
    })
    const chunks: Buffer[] = []
    for await (const chunk of response.body) chunks.push(chunk)
    const answer = parsed(Buffer.concat(chunks).toString('utf8'))
    if (response.status >= 500 || response.status === 429) throw new Error(`厂商返回 ${response.status}`)
    const code = answer?.BaseResp?.StatusCode
    if (response.status < 400 && code === 0) return answer as VendorResponse
    const words = textOf(answer?.BaseResp?.StatusMessage) || textOf(answer?.message)
    throw new VoiceCloneError(this.#clean(words || `厂商返回 ${response.status}，没有说明原因`))
  }

  /** Masks the keys in a text of the vendor, and truncates the text to the length of the column. */
  #clean(text: string) {
    return [this.#token, this.#appid]
      .reduce((clean, key) => clean.replaceAll(key, '***'), text.toWellFormed())
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, MAX_ERROR)
  }
}

const textOf = (value: unknown) =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''

/** Returns the origin of the cloning API. The API is on the host of the model's WebSocket address. */
function originOf(address: unknown): string {
  if (typeof address !== 'string' || !URL.canParse(address)) return DEFAULT_ORIGIN
  const { protocol, host } = new URL(address)
  return `${protocol === 'ws:' || protocol === 'http:' ? 'http' : 'https'}://${host}`
}

function parsed(text: string): VendorResponse | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as VendorResponse) : undefined
  } catch {
    return undefined
  }
}
