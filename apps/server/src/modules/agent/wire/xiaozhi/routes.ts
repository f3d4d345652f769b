import { isTransientError } from '#core/jobs/isolated.ts'
import { readBearerToken } from '#modules/device/wire/request.ts'
import { notFound, DeviceError, sanitizeDeviceText } from '#modules/device/wire/response.ts'
import { normalizeServerAddress } from '../../voice-servers/voice-servers.ts'
import { callContact, lookupContact } from './address-book.ts'
import { handleAgentModels, getServerBaseConfig } from './agent-models.ts'
import { handleActivation, handleBootRequest } from './boot.ts'
import {
  type XiaozhiCall,
  CallRefusedError,
  RESPONSE_CODE,
  sendData,
  sendRefusal,
  type ServerCall,
  parseMacDigits,
  readObjectBody,
  cleanText,
} from './call.ts'
import { handleContextRequest, isContextPath } from './context.ts'
import { downloadFirmware } from './firmware.ts'
import { isRelayPath, routeRelayRequest } from './relay.ts'
import { handleTurnReport } from './report.ts'
import { handleChatSummary, handleChatTitle, handleSaveMemory } from './session-end.ts'

/** Routes one call below `/xiaozhi/`. */
export async function routeXiaozhiRequest(call: XiaozhiCall, path: readonly string[]): Promise<unknown> {
  if (isDevicePath(path)) return routeDeviceCall(call, path)
  if (isServerPath(path)) return routeServerCall(call, path)
  if (isContextPath(path)) return handleContextRequest(call)
  if (isRelayPath(path)) return routeRelayRequest(call, path)
  throw notFound('call')
}

const PARTS = new Set(['ota', 'otaMag'])

/** True for a call of a device, given the parts of its path below `/xiaozhi/`. */
const isDevicePath = ([first = '']: readonly string[]) => PARTS.has(first)

/**
 * CORS headers that permit calls from other origins, because the web client of the voice server runs on another origin.
 */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Content-Type, Device-Id, Client-Id, Activation-Version, Serial-Number',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
}

/** Routes one call of a device. */
async function routeDeviceCall(call: XiaozhiCall, path: readonly string[]): Promise<unknown> {
  const { request, response } = call
  const [name, second, third] = path
  for (const [header, value] of Object.entries(CORS)) response.setHeader(header, value)
  if (request.method === 'OPTIONS') return response.writeHead(204).end()
  if (name === 'ota' && path.length === 1) return handleBootRequest(call)
  if (name === 'ota' && second === 'activate' && path.length === 2) {
    if (request.method !== 'POST') throw new DeviceError(405, 'POST only')
    return handleActivation(call)
  }
  return downloadFirmware(call, second === 'download' && path.length === 3 ? third! : '')
}

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
const isServerPath = (path: readonly string[]) => AREAS.some((area) => area.every((part, at) => path[at] === part))

/** Handles one call of a voice server. The secret is checked before the body is read. */
async function routeServerCall(call: XiaozhiCall, path: readonly string[]): Promise<unknown> {
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

const READ = `select line from agent_devices d join agents a on a.id = d.agent_id and a.deleted_at is null
    join agent_word_files f on f.id = any(a.word_file_ids) and f.tenant_id = a.tenant_id and f.deleted_at is null
    cross join unnest(f.lines) with ordinality as l (line, place)
  where d.mac = $1 and ($2 = 1 or d.tenant_id = $2) order by array_position(a.word_file_ids, f.id), l.place`

/**
 * `POST config/correct-words`: returns corrections of recognised words as `from|to`. Returns an empty list for an
 * unknown device.
 */
async function listCorrectWords({ request, side, serverTenant }: ServerCall): Promise<string[]> {
  const { macAddress } = await readObjectBody(request)
  const mac = parseMacDigits(cleanText(macAddress))
  if (mac === undefined) return []
  const { rows } = await side.services.database.pool.query<{ line: string }>({
    name: 'agent-correct-words',
    text: READ,
    values: [mac, serverTenant],
  })
  return rows.map(({ line }) => line)
}
