import { randomUUID } from 'node:crypto'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { LIMIT_STATE_CODE } from '@oms/contract/agent/usage/usage-limit.ts'
import { isTransientError } from '#core/jobs/isolated.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import { readBearerToken, readReport } from '#modules/device/wire/request.ts'
import { DeviceError } from '#modules/device/wire/response.ts'
import { describeLlmFailure, LlmError, toLlmError } from '../../models/llm-error.ts'
import { findFallback } from '../../models/open-models.ts'
import { type UsageLimit, readUsageLimit } from '../../usage/usage-limit.ts'
import type { StoredModel } from '../../voice-servers/server-config.ts'
import { type XiaozhiCall, sendPlainJson } from './call.ts'
import { readRelayKey, findRelayTarget, type RelayTarget } from './relay-target.ts'
import { scheduleShutdownEnd, trackCompletion, TokenTally, countRelayedTokens } from './relay-usage.ts'
import {
  createBusyRefusal,
  RelayRefusedError,
  sendRelayRefusal,
  canFallBack,
  openCompletion,
  type OpenCompletion,
  type RelayBody,
  parseRelayBody,
  endForRestart,
  formatErrorBody,
  toVendorRefusal,
  EventResponse,
  toForwardedChunk,
} from './relay-vendor.ts'

const CALLS_A_MINUTE = 120

/** True for a call of the relay, given the parts of its path below `/xiaozhi/`. */
export const isRelayPath = ([first, second]: readonly string[]) => first === 'llm' && second === 'v1'

/**
 * Handles `GET llm/v1/models` and `POST llm/v1/chat/completions`, through which voice servers call relayed models.
 * Checks the key before it reads the body.
 */
export async function routeRelayRequest(call: XiaozhiCall, path: readonly string[]) {
  const { request, response, side, now } = call
  const { services } = side
  try {
    const grant = readRelayKey(services.config.secretKey, readBearerToken(request), now)
    const target = grant && (await findRelayTarget(services, grant))
    if (!target) throw new RelayRefusedError(401, 'invalid_api_key', 'the key is wrong, expired or revoked')
    const route = `${request.method} ${path.slice(2).join('/')}`
    if (route === 'GET models') return sendPlainJson(call, modelsOf(target))
    if (route !== 'POST chat/completions') throw new RelayRefusedError(404, 'not_found', 'no such call')
    if (!services.rate.tryTake(`llm-relay:${target.deviceId}`, CALLS_A_MINUTE)) throw createBusyRefusal(429)
    return await handleCompletion(call, target)
  } catch (error) {
    if (error instanceof RelayRefusedError) return sendRelayRefusal(response, error)
    if (error instanceof DeviceError || isTransientError(error)) throw error
    services.log.error({ err: error }, 'relayed completion failed')
    return sendRelayRefusal(response, new RelayRefusedError(500, 'internal_error', 'internal error'))
  }
}

const modelsOf = ({ model }: RelayTarget) => ({
  object: 'list',
  data: [{ id: model.code, object: 'model', created: 0, owned_by: 'oms' }],
})

const MAX_BODY = 1024 * 1024
/**
 * Maximum number of simultaneous completions of one device. A turn needs one completion, and another one for intent or
 * memory.
 */
const MAX_OF_DEVICE = 8
const MAX_OF_PROCESS = 1000

/** Number of running completions in this process, by device. */
const running = new Map<number, number>()
let runningInAll = 0

/** Reads the body and handles the completion, within the limits of simultaneous completions. */
async function handleCompletion(call: XiaozhiCall, target: RelayTarget) {
  const count = running.get(target.deviceId) ?? 0
  if (runningInAll >= MAX_OF_PROCESS) throw createBusyRefusal(503)
  if (count >= MAX_OF_DEVICE) throw createBusyRefusal(429)
  running.set(target.deviceId, count + 1)
  runningInAll += 1
  try {
    const body = await bodyOf(call)
    const limit = await readTargetLimit(call, target)
    await trackCompletion(
      limit.state === LIMIT_STATE_CODE.stopped ? sendNotice(call, target, body, limit) : answer(call, target, body),
    )
  } finally {
    runningInAll -= 1
    const left = running.get(target.deviceId)! - 1
    if (left > 0) running.set(target.deviceId, left)
    else running.delete(target.deviceId)
  }
}

async function bodyOf({ request }: XiaozhiCall): Promise<RelayBody> {
  const { text, isCut } = await readReport(request, MAX_BODY)
  if (isCut) throw new RelayRefusedError(413, 'request_too_large', 'the body is larger than 1 MB')
  const body = parseRelayBody(text)
  if (!body) throw new RelayRefusedError(400, 'invalid_request', 'the body is no chat completion')
  return body
}

/** Sends a completion and counts its tokens, also when the completion fails or is cancelled. */
async function answer(call: XiaozhiCall, target: RelayTarget, body: RelayBody) {
  const { response } = call
  const reader = new AbortController()
  const gone = () => reader.abort()
  response.once('close', gone)
  let isRestarting = false
  const forget = scheduleShutdownEnd(call.side.services, () => {
    isRestarting = true
    reader.abort()
  })
  if (response.destroyed) gone()
  let completion: OpenCompletion | undefined
  const tally = new TokenTally()
  try {
    completion = await openWithFallback(call, target, body, reader.signal)
    await (body.stream ? stream : sendWhole)(call, completion, target, tally)
  } catch (error) {
    if (!(error instanceof LlmError || error instanceof OutboundError)) throw error
    if (isRestarting) return endForRestart(response)
    const failure = toLlmError(error)
    if (!completion) throw toVendorRefusal(failure)
    endBrokenStream(call, target, completion.model, failure)
  } finally {
    forget()
    response.off('close', gone)
    completion?.close()
    if (completion) await countRelayedTokens(call, target, completion.model, tally.tokens(body))
  }
}

/** Calls the model. Calls its fallback when another model may succeed. */
async function openWithFallback({ side, now }: XiaozhiCall, target: RelayTarget, body: RelayBody, reader: AbortSignal) {
  const { services } = side
  const attempt = async (model: StoredModel) => {
    try {
      return await openCompletion(services, model, body, reader)
    } catch (error) {
      const failure = toLlmError(error)
      if (failure.kind !== 'cancelled') noteFailure({ side, now }, target, model, failure)
      return failure
    }
  }
  const first = await attempt(target.model)
  if (!(first instanceof LlmError)) return first
  const { models } = services.voiceServers.reads
  const fallback = canFallBack(first) ? await findFallback(models, target.model, target.tenantId) : undefined
  const second = fallback ? await attempt(fallback) : first
  if (second instanceof LlmError) throw second
  return second
}

/** Logs a failure without text of the vendor, and adds an event to the timeline of the device. */
function noteFailure(
  { side, now }: Pick<XiaozhiCall, 'side' | 'now'>,
  { mac, tenantId }: RelayTarget,
  { code }: StoredModel,
  failure: LlmError,
) {
  const { log, voiceServers } = side.services
  log.warn({ model: code, kind: failure.kind, status: failure.status }, 'relayed model failed')
  const detail = { model: code, reason: describeLlmFailure(failure) }
  voiceServers.events.add({ mac, tenantId, kind: AGENT_EVENT_KIND.modelFailed, detail }, now)
}

type Answering = (
  call: XiaozhiCall,
  completion: OpenCompletion,
  target: RelayTarget,
  tally: TokenTally,
) => Promise<void>

/** Forwards the chunks as they arrive, without the usage, which only OMS requested. */
const stream: Answering = async ({ response }, { documents }, { model }, tally) => {
  const events = new EventResponse(response)
  for await (const document of documents) {
    tally.add(document)
    const chunk = toForwardedChunk(document, model.code)
    if (chunk) await events.send(JSON.stringify(chunk))
    if (response.destroyed) return
  }
  await events.send('[DONE]')
  events.end()
}

const sendWhole: Answering = async (call, { documents }, { model }, tally) => {
  const { value } = (await documents.next()) as IteratorYieldResult<Record<string, unknown>>
  tally.add(value)
  sendPlainJson(call, { ...value, model: model.code })
}

/** Ends a stream that the vendor interrupted. Sends an error event, which OpenAI clients report as a failure. */
function endBrokenStream(call: XiaozhiCall, target: RelayTarget, model: StoredModel, failure: LlmError) {
  const { response } = call
  if (failure.kind === 'cancelled' || response.destroyed) return
  noteFailure(call, target, model, failure)
  if (response.headersSent)
    response.end(`data: ${formatErrorBody(`vendor_${failure.kind}`, describeLlmFailure(failure))}\n\n`)
  else response.destroy()
}

/** Maximum events of one device in a minute, so that continued speech does not fill the timeline. */
const EVENTS_A_MINUTE = 1

/**
 * Returns the limit of the device of a key. Reads the grants again for each completion, so that a limit and a purchase
 * apply inside a running session.
 */
async function readTargetLimit({ side, now }: XiaozhiCall, target: RelayTarget): Promise<UsageLimit> {
  const { agentParameters, voiceServers } = side.services
  const params = await agentParameters.of(target.tenantId)
  return readUsageLimit({ reads: voiceServers.reads, params, now }, target)
}

/**
 * Responds to a completion with the notice, as a vendor would, so that the device says the notice. Calls no vendor.
 * After an error code, the voice server would say that something failed.
 */
async function sendNotice(
  call: XiaozhiCall,
  { mac, tenantId, deviceId, model }: RelayTarget,
  { stream }: Pick<RelayBody, 'stream'>,
  { notice, reason }: UsageLimit,
) {
  const { services } = call.side
  if (services.rate.tryTake(`limit-event:${deviceId}`, EVENTS_A_MINUTE))
    services.voiceServers.events.add({ mac, tenantId, kind: AGENT_EVENT_KIND.stopped, detail: { reason } }, call.now)
  const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(call.now / 1000), model: model.code }
  if (!stream) return sendPlainJson(call, { ...head, object: 'chat.completion', ...wholeAnswer(notice) })
  const events = new EventResponse(call.response)
  const chunk = (delta: object, finish: string | null) =>
    events.send(
      JSON.stringify({
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: finish }],
      }),
    )
  await chunk({ role: 'assistant', content: notice }, null)
  await chunk({}, 'stop')
  await events.send('[DONE]')
  return events.end()
}

const wholeAnswer = (content: string) => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
})
