import { setTimeout as pause } from 'node:timers/promises'
import { OutboundError } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import type { Db } from '#core/database/client.ts'
import { readModelConfigs } from '../models/model-config.ts'
import { VoiceCloneError, type VendorVoice, VoiceCloneVendor } from './voice-clone-vendor.ts'

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
