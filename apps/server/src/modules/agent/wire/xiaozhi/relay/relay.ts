import { isTransientError } from '#core/jobs/isolated.ts'
import { readBearerToken } from '#modules/device/wire/request.ts'
import { DeviceError } from '#modules/device/wire/response.ts'
import type { XiaozhiCall } from '../call.ts'
import { handleCompletion } from './relay-completion.ts'
import { readRelayKey } from './relay-key.ts'
import { createBusyRefusal, RelayRefusedError, sendRelayRefusal } from './relay-refusal.ts'
import { findRelayTarget, type RelayTarget } from './relay-target.ts'
import { sendPlainJson } from '../boot/send-bare.ts'

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
