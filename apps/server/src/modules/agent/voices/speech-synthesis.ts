import { createWav } from '#core/media/wav.ts'
import type { AddressPolicy } from '#core/outbound/address-policy.ts'
import { type OutboundResponse, sendOutbound } from '#core/outbound/outbound.ts'
import { parseVendorError } from '../models/llm-error.ts'
import type { DecryptedModel } from '../models/model-config.ts'
import {
  type EncodedAudio,
  type SynthesisInput,
  SYNTHESIS_REQUESTS,
  type SynthesisRequest,
} from './synthesis-requests.ts'

/** Codes of the providers whose text-to-speech API OMS calls directly. */
export const SYNTHESIS_PROVIDERS: readonly string[] = Object.keys(SYNTHESIS_REQUESTS)

const LIMITS = { connectMs: 10_000, firstByteMs: 30_000, idleMs: 20_000, totalMs: 45_000, maxBytes: 6_000_000 }
/** Sample rate of raw samples: 16 bit, one channel. */
const PCM_RATE = 24_000

/** Speech as an audio file that browsers play. */
export interface SynthesisedSpeech {
  readonly audio: Buffer
  readonly mime: string
}

/** A failure of the vendor. The message is Chinese, and the keys of the model are masked. */
export class SynthesisError extends Error {
  override readonly name = 'SynthesisError'
}

/**
 * Requests the speech of a text from the vendor of a model. Throws `SynthesisError`, or `OutboundError` when the vendor
 * cannot be reached.
 */
export async function synthesise(
  { providerCode, config }: Pick<DecryptedModel, 'providerCode' | 'config'>,
  speech: SynthesisInput,
  policy: AddressPolicy,
): Promise<SynthesisedSpeech> {
  const build = Object.hasOwn(SYNTHESIS_REQUESTS, providerCode) ? SYNTHESIS_REQUESTS[providerCode] : undefined
  if (!build) throw new SynthesisError('该接口只能由语音服务调用，不能在此测试')
  const { responseFormat = 'file', ...request } = buildRequest(build, config, speech)
  const response = await sendOutbound({ ...request, policy, limits: LIMITS })
  const body = await readBody(response)
  const keys = secretsOf(config)
  // PCM has no file signature, so an error in JSON would be played as noise.
  if (response.status !== 200 || (responseFormat === 'pcm' && parsed(body)))
    throw createSynthesisError(response.status, body, keys)
  const audio =
    responseFormat === 'pcm'
      ? createWav(body, PCM_RATE)
      : responseFormat === 'file'
        ? body
        : decodeAudio(body, responseFormat, keys)
  const mime = audioTypeOf(audio)
  if (!mime) throw createSynthesisError(200, body, keys)
  return { audio, mime }
}

/** Builds the request. Throws `SynthesisError` when the URL of a GET request is invalid. */
function buildRequest(
  build: (typeof SYNTHESIS_REQUESTS)[string],
  config: DecryptedModel['config'],
  speech: SynthesisInput,
) {
  try {
    return build(config, speech) satisfies SynthesisRequest
  } catch {
    throw new SynthesisError('语音合成模型的接口地址格式有误')
  }
}

async function readBody(response: OutboundResponse): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Returns the audio in a field of a JSON document. */
function decodeAudio(body: Buffer, { encoding, path }: EncodedAudio, keys: readonly string[]): Buffer {
  const text = path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
    parsed(body),
  )
  if (typeof text !== 'string' || text === '') throw createSynthesisError(200, body, keys)
  return Buffer.from(text, encoding)
}

function parsed(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the texts of a configuration that may be keys, to mask them in messages of the vendor: whole values and their
 * words, such as the token after `Bearer`, also in headers, parameters and the query of an address.
 */
const secretsOf = (config: DecryptedModel['config']): string[] =>
  Object.entries(config)
    .filter(([key]) => /key|token|secret|authorization|headers|params|appid|url/i.test(key))
    .flatMap(([key, value]) => {
      if (/url/i.test(key)) return [...(URL.parse(String(value))?.searchParams.values() ?? [])]
      return typeof value === 'object' && value !== null ? Object.values(value) : [value]
    })
    .filter((value): value is string => typeof value === 'string')
    .flatMap((value) => [value, ...value.split(/[\s;]+/)])
    .filter((value) => value.length >= 4)
    .toSorted((a, b) => b.length - a.length)

/** Returns the error of the vendor in its own words, without keys. */
function createSynthesisError(status: number, body: Buffer, keys: readonly string[]): SynthesisError {
  const document = parsed(body)
  const words = wordsOf(document)
  const text = status >= 300 && !words ? body.toString('utf8', 0, 300).trimStart() : ''
  const { message } = parseVendorError(status, words ?? (text.startsWith('<') ? '' : text), '')
  const clean = keys.reduce((each, key) => each.replaceAll(key, '***'), message)
  return new SynthesisError(
    status === 200 && !words ? '厂商没有返回可以播放的音频' : clean.replace('模型服务', '语音合成服务'),
  )
}

/** Returns the error in a document of MiniMax or Tencent Cloud, or the whole document of another vendor. */
function wordsOf(document: Record<string, unknown> | undefined): unknown {
  const { base_resp: base, Response: response } = (document ?? {}) as {
    base_resp?: { status_msg?: unknown }
    Response?: { Error?: { Code?: unknown; Message?: unknown } }
  }
  if (typeof base?.status_msg === 'string') return { message: base.status_msg }
  return response?.Error ? { code: response.Error.Code, message: response.Error.Message } : document
}

/** Returns the media type of an audio file by its first bytes. Undefined for other content. */
function audioTypeOf(audio: Buffer): string | undefined {
  const head = audio.toString('latin1', 0, 4)
  if (head === 'RIFF') return 'audio/wav'
  if (head.startsWith('ID3') || (audio[0] === 0xff && (audio[1]! & 0xe0) === 0xe0)) return 'audio/mpeg'
  if (head === 'OggS') return 'audio/ogg'
  return head === 'fLaC' ? 'audio/flac' : undefined
}
