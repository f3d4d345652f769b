import { randomUUID } from 'node:crypto'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { type UsageLimit, readUsageLimit } from '../../../usage/usage-limit.ts'
import type { XiaozhiCall } from '../call.ts'
import type { RelayBody } from './relay-body.ts'
import { EventResponse } from './relay-stream.ts'
import type { RelayTarget } from './relay-target.ts'
import { sendPlainJson } from '../boot/send-bare.ts'

/** Maximum events of one device in a minute, so that continued speech does not fill the timeline. */
const EVENTS_A_MINUTE = 1

/**
 * Returns the limit of the device of a key. Reads the grants again for each completion, so that a limit and a purchase
 * apply inside a running session.
 */
export async function readTargetLimit({ side, now }: XiaozhiCall, target: RelayTarget): Promise<UsageLimit> {
  const { agentParameters, voiceServers } = side.services
  const params = await agentParameters.of(target.tenantId)
  return readUsageLimit({ reads: voiceServers.reads, params, now }, target)
}

/**
 * Responds to a completion with the notice, as a vendor would, so that the device says the notice. Calls no vendor.
 * After an error code, the voice server would say that something failed.
 */
export async function sendNotice(
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
