import { isTransientError } from '#core/jobs/isolated.ts'
import { normalizeServerAddress } from '../../../voice-servers/server-contacts.ts'
import { readBearerToken } from '#modules/device/wire/request.ts'
import { DeviceError, notFound, sanitizeDeviceText } from '#modules/device/wire/response.ts'
import { callContact, lookupContact } from '../reports/address-book.ts'
import { handleAgentModels } from './agent-models.ts'
import type { XiaozhiCall } from '../call.ts'
import { listCorrectWords } from './correct-words.ts'
import { CallRefusedError, RESPONSE_CODE, sendData, sendRefusal } from '../envelope.ts'
import { handleTurnReport } from '../reports/report.ts'
import type { ServerCall } from './server-call.ts'
import { handleChatSummary, handleChatTitle, handleSaveMemory } from '../reports/session-end.ts'
import { getServerBaseConfig } from './server-base.ts'

/** Returns the data of the response. `id` is the variable part of the path. */
type Handler = (call: ServerCall, id: string) => Promise<unknown>

/** Calls of voice servers by method and path; `*` stands for one variable part. */
const ROUTES: Readonly<Record<string, Handler>> = {
  'POST config/server-base': getServerBaseConfig,
  'POST config/agent-models': handleAgentModels,
  'POST config/correct-words': listCorrectWords,
  'POST agent/chat-history/report': handleTurnReport,
  'POST agent/chat-title/*/generate': handleChatTitle,
  'POST agent/chat-summary/*/save': handleChatSummary,
  'PUT agent/saveMemory/*': handleSaveMemory,
  'GET device/address-book/call': callContact,
  'GET device/address-book/lookup': lookupContact,
}

const AREAS: readonly (readonly string[])[] = [
  ['config'],
  ['agent', 'chat-history', 'report'],
  ['agent', 'chat-title'],
  ['agent', 'chat-summary'],
  ['agent', 'saveMemory'],
  ['device', 'address-book', 'call'],
  ['device', 'address-book', 'lookup'],
]

/** True for a call of a voice server, given the parts of its path below `/xiaozhi/`. */
export const isServerPath = (path: readonly string[]) =>
  AREAS.some((area) => area.every((part, at) => path[at] === part))

/** Handles one call of a voice server. The secret is checked before the body is read. */
export async function routeServerCall(call: XiaozhiCall, path: readonly string[]): Promise<unknown> {
  const { request, response, side, ip, now } = call
  const { agentParameters, voiceServers, log } = side.services
  try {
    const serverTenant = await agentParameters.ownerOfSecret(readBearerToken(request))
    if (serverTenant === undefined) {
      if (side.services.rate.tryTake(`voice-server:${ip}`, 1)) log.warn({ ip }, 'voice server refused: wrong secret')
      throw new CallRefusedError(RESPONSE_CODE.unauthorized, '服务器密钥不正确')
    }
    const [handler, id] = handlerOf(request.method ?? '', path)
    if (!handler) throw notFound('call')
    const client = sanitizeDeviceText(request.headers['user-agent'], 64)
    const server = { address: normalizeServerAddress(ip), client }
    voiceServers.contacts.note({ tenantId: serverTenant, ...server, isBase: handler === getServerBaseConfig }, now)
    return sendData(response, await handler({ ...call, serverTenant, server }, id))
  } catch (error) {
    if (error instanceof CallRefusedError) return sendRefusal(response, error)
    // These errors keep their HTTP status, because clients repeat calls with such a status.
    if (error instanceof DeviceError || isTransientError(error)) throw error
    log.error({ err: error, path: path.slice(0, 2).join('/') }, 'call of a voice server failed')
    return sendRefusal(response, new CallRefusedError(RESPONSE_CODE.failed, '服务器内部错误'))
  }
}

function handlerOf(method: string, path: readonly string[]): readonly [Handler | undefined, string] {
  const exact = ROUTES[`${method} ${path.join('/')}`]
  if (exact) return [exact, '']
  const [area, name, id = '', ...rest] = path
  return [ROUTES[[`${method} ${area}`, name, '*', ...rest].join('/')], id]
}
