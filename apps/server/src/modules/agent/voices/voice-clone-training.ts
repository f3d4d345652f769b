import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '#core/config/config.ts'
import type { Db } from '#core/database/client.ts'
import { type AddressPolicy, selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { OutboundError, sendOutbound } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { readModelConfigs, type DecryptedModel } from '../models/model-config.ts'

const QUEUE = 'agent-voice-clone'
const CONCURRENCY = 2
const RETRIES = 4
const TIME_LIMIT_SECONDS = 30 * 60
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 15_000
const STALE_POLLS = 5
const TRAINING_LIMIT_MS = 25 * 60 * 1000
const MAX_ERROR = 255

interface Message {
  readonly id: number
  /** Version of the voice at the vendor before this training. Absent until it is known. */
  readonly before?: string
}

interface Clone {
  readonly id: number
  readonly tenantId: number
  readonly modelId: number
  readonly voiceId: string
  readonly sha256: string | null
  readonly mime: string | null
}

const TAKE = `update agent_voice_clones c set state = 1, error = ''
  where c.id = $1 and c.state < 2 and c.deleted_at is null
  returning c.id, c.tenant_id as "tenantId", c.model_id as "modelId", c.voice_id as "voiceId",
    (select f.sha256 from files f where f.id = c.file_id) as sha256, (select f.mime from files f where f.id = c.file_id) as mime`
const END = `update agent_voice_clones set state = $2, error = $3, update_time = now(), rev = rev + 1 where id = $1 and state = 1`

/** Queues the training of a clone inside the caller's transaction. */
export const queueCloneTraining = (services: Pick<Services, 'jobs'>, db: Db, id: number) =>
  services.jobs.sendMessage(db, QUEUE, { id } satisfies Message)

/** Registers the job that trains clones. A run that a restart ends is repeated and uploads nothing twice. */
export function registerCloneTraining(services: Services) {
  const options = {
    title: '音色克隆',
    concurrency: CONCURRENCY,
    timeLimitSeconds: TIME_LIMIT_SECONDS,
    retries: RETRIES,
    retryDelaySeconds: 10,
  }
  services.jobs.registerMessages(
    QUEUE,
    ({ payload, attempts }, _progress, signal) =>
      workOn(services, payload as Message, { signal, isLast: attempts > RETRIES }),
    options,
  )
}

interface Run {
  readonly signal: AbortSignal
  readonly isLast: boolean
}

async function workOn(services: Services, message: Message, { signal, isLast }: Run) {
  const { pool } = services.database
  const [clone] = (await pool.query<Clone>(TAKE, [message.id])).rows
  if (!clone) return
  await publish(services, clone)
  try {
    const vendor = await vendorOf(services, clone)
    if (message.before === undefined) {
      // The version is stored with the message before the upload, so that a repeated run recognises the training that
      // it started.
      const before = await stateBefore(vendor, clone, signal)
      await services.database.db.transaction((db) =>
        services.jobs.sendMessage(db, QUEUE, { ...message, before: before.version } satisfies Message),
      )
      return
    }
    await train(services, vendor, { clone, before: message.before, signal })
    await pool.query(END, [clone.id, 2, ''])
  } catch (error) {
    if (signal.aborted || !(isLast || error instanceof VoiceCloneError)) throw error
    await pool.query(END, [clone.id, 3, reasonOf(error)])
  }
  await publish(services, clone)
}

function reasonOf(error: unknown) {
  const words = error instanceof Error && error.message ? error.message : '训练失败'
  return (error instanceof OutboundError ? `无法连接火山引擎：${words}` : words).slice(0, MAX_ERROR)
}

/**
 * Returns the state of the voice before the training. The vendor reports no state for a voice that was never trained.
 * If the voice does not exist at all, the upload fails later.
 */
const stateBefore = (vendor: VoiceCloneVendor, { voiceId }: Clone, signal: AbortSignal) =>
  vendor.status(voiceId, signal).catch((error: unknown): VendorVoice => {
    if (error instanceof VoiceCloneError) return { state: 'missing', version: '' }
    throw error
  })

interface Training {
  readonly clone: Clone
  readonly before: string
  readonly signal: AbortSignal
}

/** Uploads the recording unless an earlier run uploaded it, and waits for the end of the training. */
async function train(services: Services, vendor: VoiceCloneVendor, { clone, before, signal }: Training) {
  const isOurs = ({ state, version }: VendorVoice) => state === 'training' || version !== before
  const known = await stateBefore(vendor, clone, signal)
  if (!isOurs(known)) await upload(services, vendor, clone, signal)
  const startedAt = performance.now()
  let waitMs = FIRST_PAUSE_MS
  let isFresh = false
  for (let polls = 0; performance.now() - startedAt < TRAINING_LIMIT_MS; polls += 1) {
    const now = await vendor.status(clone.voiceId, signal)
    // The vendor may report the end of an earlier training for a short time.
    isFresh ||= isOurs(now) || polls > STALE_POLLS
    if (isFresh && now.state === 'done') return
    if (isFresh && now.state === 'failed') throw new VoiceCloneError('训练失败，请换一段更清晰的录音')
    await pause(waitMs, undefined, { signal })
    waitMs = Math.min(LONGEST_PAUSE_MS, waitMs * 1.5)
  }
  throw new VoiceCloneError('训练超过 25 分钟没有完成，请稍后重试')
}

async function upload(
  { files }: Services,
  vendor: VoiceCloneVendor,
  { sha256, mime, voiceId }: Clone,
  signal: AbortSignal,
) {
  if (sha256 === null) throw new VoiceCloneError('录音已被删除')
  const chunks: Buffer[] = []
  for await (const chunk of await files.openRead(sha256)) chunks.push(chunk as Buffer)
  await vendor.train(voiceId, Buffer.concat(chunks), mime === 'audio/mpeg' ? 'mp3' : 'wav', signal)
}

async function vendorOf({ database, config }: Services, { modelId }: Clone) {
  const model = (await readModelConfigs(database.db, config.secretKey, [modelId])).get(modelId)
  if (!model) throw new VoiceCloneError('语音合成模型已被删除')
  return new VoiceCloneVendor(model, config)
}

/** Publishes the change, which reloads open lists in the console. */
const publish = ({ events, database }: Services, { tenantId }: Clone) =>
  events.publish(database.db, 'changed', { resource: 'agent', tenantId })

const DEFAULT_ORIGIN = 'https://openspeech.bytedance.com'
const API = '/api/v1/mega_tts'
const RESOURCE = 'seed-icl-1.0'
/** Kind of the model that the vendor trains: 1 is ICL 1.0. */
const MODEL_TYPE = 1
/** Value of the field `source` that the vendor's API expects. */
const SOURCE = 2
const CHINESE = 0
const LIMITS = { connectMs: 10_000, firstByteMs: 60_000, idleMs: 20_000, totalMs: 90_000, maxBytes: 200_000 }

/** Refusal by the vendor. Trying again does not help. The message contains no keys. */
class VoiceCloneError extends Error {
  override readonly name = 'VoiceCloneError'
}

/** State of a voice at the vendor. `version` changes with every training. */
interface VendorVoice {
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
class VoiceCloneVendor {
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
