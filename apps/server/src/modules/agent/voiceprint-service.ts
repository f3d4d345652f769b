import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import type { Config } from '#core/config/config.ts'
import type { Db } from '#core/database/client.ts'
import { type AddressPolicy, selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { type OutboundRequest, sendOutbound, OutboundError } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { deleteUnusedRecording } from './history/history-retention.ts'
import type { AgentParameters } from './parameter-values.ts'
import { agentVoiceprints } from './schema/agent-history.ts'

const ADDRESS = 'server.voice_print'
const HEALTH_MS = 3000
const RETRY_MS = 300
const LIMITS = { connectMs: 3000, firstByteMs: 20_000, idleMs: 5000, totalMs: 30_000, maxBytes: 100_000 }

/** Failure of the voiceprint service. Its message is shown to users. */
export class VoiceprintError extends Error {
  override readonly name = 'VoiceprintError'
}

interface VendorResponse {
  readonly status: number
  readonly text: string
}

/** Client of one voiceprint service. `key` authenticates the calls. */
export class VoiceprintService {
  readonly #address: URL
  readonly #key: string
  readonly #policy: AddressPolicy

  /** `address` is the health address with `key=`, as the parameter `server.voice_print` holds it. */
  constructor(address: string, policy: AddressPolicy) {
    this.#address = new URL(address)
    this.#key = this.#address.searchParams.get('key') ?? ''
    this.#policy = policy
  }

  /** Enrols a speaker under an id. An existing voiceprint with this id is replaced. */
  async register(speakerId: number, wav: Buffer): Promise<void> {
    const { success } = await this.#post('register', { speaker_id: String(speakerId) }, wav)
    if (success !== true) throw new VoiceprintError('声纹服务没有接受这段语音，请换一段更清晰、更长的语音')
  }

  /** Returns the most similar of the speakers and the similarity, from 0 to 1. */
  async identify(
    speakerIds: readonly number[],
    wav: Buffer,
  ): Promise<{ speakerId: number | undefined; score: number }> {
    const answer = await this.#post('identify', { speaker_ids: speakerIds.join(',') }, wav)
    const score = typeof answer['score'] === 'number' ? answer['score'] : Number.NaN
    if (!Number.isFinite(score)) throw new VoiceprintError('声纹服务返回的内容有误')
    const speakerId = Number(answer['speaker_id'])
    return {
      speakerId: speakerIds.includes(speakerId) ? speakerId : undefined,
      score: Math.min(1, Math.max(0, score)),
    }
  }

  /** Deletes a voiceprint. A missing voiceprint is no error. */
  async remove(speakerId: number): Promise<void> {
    const { status } = await this.#send({ url: this.#url(`/voiceprint/${speakerId}`), method: 'DELETE' })
    if (status >= 400 && status !== 404) throw failed(status)
  }

  /** Returns the number of stored voiceprints. Throws when the service is not healthy. */
  async health(): Promise<number> {
    const limits = { connectMs: HEALTH_MS, firstByteMs: HEALTH_MS, totalMs: HEALTH_MS }
    const { status, text } = await this.#send({ url: this.#address.href, limits: { ...LIMITS, ...limits } })
    if (status !== 200 || !text.includes('healthy')) throw failed(status)
    const total = Number(objectOf(text)?.['total_voiceprints'])
    return Number.isSafeInteger(total) ? total : 0
  }

  async #post(call: 'register' | 'identify', fields: Readonly<Record<string, string>>, wav: Buffer) {
    const { body, contentType } = multipart(fields, wav)
    const url = this.#url(`/voiceprint/${call}`)
    const { status, text } = await this.#send({ url, method: 'POST', headers: { 'content-type': contentType }, body })
    const answer = status === 200 ? objectOf(text) : undefined
    if (!answer) throw failed(status)
    return answer
  }

  #url(path: string) {
    return `${this.#address.origin}${path}`
  }

  /** Sends a request. Repeats the request once when the connection broke before a response. */
  async #send(request: Omit<OutboundRequest, 'policy'>): Promise<VendorResponse> {
    try {
      return await this.#once(request)
    } catch (error) {
      if (error instanceof OutboundError && error.kind === 'connection') {
        await pause(RETRY_MS)
        return this.#once(request).catch(rethrow)
      }
      return rethrow(error)
    }
  }

  async #once({ headers, ...request }: Omit<OutboundRequest, 'policy'>): Promise<VendorResponse> {
    const response = await sendOutbound({
      limits: LIMITS,
      ...request,
      headers: { authorization: `Bearer ${this.#key}`, ...headers },
      policy: this.#policy,
    })
    const chunks: Buffer[] = []
    for await (const chunk of response.body) chunks.push(chunk)
    return { status: response.status, text: Buffer.concat(chunks).toString('utf8') }
  }
}

function rethrow(error: unknown): never {
  throw error instanceof OutboundError ? new VoiceprintError(`声纹服务无法连接：${error.message}`) : error
}

const failed = (status: number) =>
  new VoiceprintError(
    status === 401 || status === 403 ? '声纹服务拒绝了密钥，请检查参数 server.voice_print' : '声纹服务出错，请稍后重试',
  )

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Encodes a multipart body with the recording as `file`. The service accepts names that end in `.wav` only. */
function multipart(fields: Readonly<Record<string, string>>, wav: Buffer) {
  const boundary = `oms-${randomUUID()}`
  const part = (disposition: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n${value}`
  const texts = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, `\r\n${value}\r\n`))
  const head = part('name="file"; filename="voice.wav"', 'content-type: audio/wav\r\n\r\n')
  const body = Buffer.concat([Buffer.from(texts.join('') + head), wav, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { body, contentType: `multipart/form-data; boundary=${boundary}` }
}

interface Parts {
  readonly agentParameters: AgentParameters
  readonly config: Pick<Config, 'outboundPrivate'>
}

/**
 * Returns the voiceprint service of a tenant, or undefined when none is configured. Only an address that the platform
 * configured may be private.
 */
export async function findVoiceprintService({ agentParameters, config }: Parts, tenantId: number) {
  const address = (await agentParameters.of(tenantId)).text(ADDRESS)
  if (address === '') return undefined
  const shared = (await agentParameters.of(PLATFORM_TENANT_ID)).text(ADDRESS)
  return new VoiceprintService(address, selectAddressPolicy(config, address === shared ? 'platform' : 'tenant'))
}

/** Queue of the jobs that delete voiceprints in the voiceprint service. */
const QUEUE = 'agent-voiceprint-remove'

interface Removal {
  readonly tenantId: number
  readonly ids: readonly number[]
}

/**
 * Deletes all voiceprints of an agent. A job deletes them in the voiceprint service, because the service may be down
 * now. Returns their number.
 */
export async function removeVoiceprintsOfAgent(db: Db, { jobs }: Pick<Services, 'jobs'>, agentId: number) {
  const { id, tenantId, audioId } = agentVoiceprints
  const gone = await db
    .delete(agentVoiceprints)
    .where(eq(agentVoiceprints.agentId, agentId))
    .returning({ id, tenantId, audioId })
  for (const each of gone) await deleteUnusedRecording(db, each.audioId)
  const [first] = gone
  if (first) await jobs.sendMessage(db, QUEUE, { tenantId: first.tenantId, ids: gone.map((each) => each.id) })
  return gone.length
}

/** Registers the job that deletes voiceprints in the service. Without a configured service nothing is left to do. */
export function registerVoiceprintRemoval(services: Services) {
  const options = { title: '删除声纹', timeLimitSeconds: 30 * 60, retries: 20, retryDelaySeconds: 60 }
  services.jobs.registerMessages(
    QUEUE,
    async ({ payload }, _progress, signal) => {
      const { tenantId, ids } = payload as Removal
      const service = await findVoiceprintService(services, tenantId)
      for (const id of service ? ids : []) {
        signal.throwIfAborted()
        await service?.remove(id)
      }
    },
    options,
  )
}
