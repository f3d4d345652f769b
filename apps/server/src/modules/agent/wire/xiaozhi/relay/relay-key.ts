import { isOpenAiCompatible } from '../../../llm/chat-request.ts'
import type { StoredModel } from '../../../voice-servers/server-models.ts'
import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'

const USE = 'xiaozhi-llm'
/**
 * Validity in seconds. A voice server may request completions until this long after the start of a voice connection.
 */
const KEY_SECONDS = 86_400

/** Permission in a key of the relay: completions of one model for one device with one version of an agent. */
export interface RelayGrant {
  readonly deviceId: number
  readonly agentId: number
  readonly versionNo: number
  readonly modelId: number
}

/** Returns the `api_key` with which a voice server calls the relay. */
export const createRelayKey = (
  secretKey: Buffer,
  { deviceId, agentId, versionNo, modelId }: RelayGrant,
  nowMs: number,
): string =>
  signNumbers(secretKey, USE, [deviceId, agentId, versionNo, modelId, Math.floor(nowMs / 1000) + KEY_SECONDS])

/** Returns the grant of a valid key; undefined for a wrong or expired key. */
export function readRelayKey(secretKey: Buffer, key: string, nowMs: number): RelayGrant | undefined {
  const numbers = readNumbers(secretKey, USE, key, 5)
  if (!numbers) return undefined
  const [deviceId = 0, agentId = 0, versionNo = 0, modelId = 0, end = 0] = numbers
  return end * 1000 < nowMs ? undefined : { deviceId, agentId, versionNo, modelId }
}

interface Asker extends Omit<RelayGrant, 'modelId'> {
  readonly secretKey: Buffer
  /** Address at which the voice server called. */
  readonly origin: string
  readonly now: number
}

/** Returns whether voice servers call the model through OMS. */
export const isRelayed = ({ type, relay, config }: Pick<StoredModel, 'type' | 'relay' | 'config'>) =>
  type === 'LLM' && relay === 1 && isOpenAiCompatible(config)

/**
 * Returns a model in the form for a voice server. A relayed model has the address of the relay, a key of the relay and
 * its own code. The vendor's address, key and model name are removed.
 */
export function toRelayedModel(model: StoredModel, { secretKey, origin, now, ...device }: Asker): StoredModel {
  if (!isRelayed(model)) return model
  const config = {
    type: 'openai',
    base_url: `${origin}/xiaozhi/llm/v1`,
    model_name: model.code,
    api_key: createRelayKey(secretKey, { ...device, modelId: model.id }, now),
  }
  return { ...model, config }
}
