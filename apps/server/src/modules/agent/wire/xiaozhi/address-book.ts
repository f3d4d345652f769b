import { formatMac } from '@oms/contract/device/device-fields.ts'
import { isFeatureEnabled } from '../../parameter-values.ts'
import { callGateway, hasGateway } from '../../voice-servers/gateway.ts'
import { parseMacDigits, type ServerCall, cleanText } from './call.ts'

/** Response to a call between devices. The voice server reads `message` aloud to the caller. */
interface CallResponse {
  readonly status: 'pending' | 'bridged' | 'offline' | 'error'
  readonly message: string
}

const FIND = `select d.tenant_id as "tenantId", c.target_mac as mac, c.alias, coalesce(back.allowed, 1) as allowed,
    coalesce(back.alias, nullif(d.alias, ''), d.mac) as "callerName"
  from agent_devices d join agent_contacts c on c.mac = d.mac
    join agent_devices t on t.mac = c.target_mac and t.tenant_id = d.tenant_id
    left join agent_contacts back on back.mac = c.target_mac and back.target_mac = d.mac
  where d.mac = $1 and c.alias = $2 and ($3 = 1 or d.tenant_id = $3)`

interface Contact {
  readonly tenantId: number
  readonly mac: string
  readonly alias: string
  readonly allowed: number
  /** Name of the caller at the called device. */
  readonly callerName: string
}

async function contactOf({ query, side, serverTenant }: ServerCall): Promise<Contact | undefined> {
  const mac = parseMacDigits(cleanText(query.get('callerMac')))
  const nickname = cleanText(query.get('nickname')).slice(0, 64)
  if (mac === undefined || nickname === '') return undefined
  const { rows } = await side.services.database.pool.query<Contact>(FIND, [mac, nickname, serverTenant])
  return rows[0]
}

/** `GET device/address-book/lookup`: returns the device to which the caller gave this name. */
export async function lookupContact(call: ServerCall) {
  const found = await contactOf(call)
  return found === undefined || !(await isFeatureEnabled(call.side.services, found.tenantId, 'contacts'))
    ? null
    : { targetMac: found.mac, nickname: found.alias, hasPermission: found.allowed === 1 }
}

/** `GET device/address-book/call`: calls the named device, or accepts a waiting call, through the MQTT gateway. */
export async function callContact(call: ServerCall): Promise<CallResponse> {
  const request = call.query.get('answer') === 'true' ? await acceptedCall(call) : await requestedCall(call)
  if ('status' in request) return request
  if (!(await isFeatureEnabled(call.side.services, request.tenantId, 'contacts'))) return error('通讯录功能已停用。')
  const { services } = call.side
  const params = await services.agentParameters.of(call.serverTenant)
  if (!hasGateway(params)) return error('还没有设置通话网关，暂时不能呼叫。')
  try {
    const { status, message } = await callGateway(services, params, call.serverTenant, request)
    const isKnown = status === 'pending' || status === 'bridged' || status === 'offline'
    return { status: isKnown ? status : 'error', message: cleanText(message).slice(0, 200) || '呼叫没有成功。' }
  } catch (problem) {
    services.log.warn({ err: problem }, 'the MQTT gateway did not take a call')
    return error('通话网关暂时没有响应，请稍后再试。')
  }
}

/** A request to the gateway, and the tenant whose features decide about it. */
interface GatewayRequest {
  readonly tenantId: number
  readonly path: string
  readonly body: object
}

async function requestedCall(call: ServerCall): Promise<GatewayRequest | CallResponse> {
  const found = await contactOf(call)
  if (found === undefined) return error('通讯录里没有这个名字，请先在控制台添加联系人。')
  if (found.allowed === 0) return error('对方没有允许你呼叫。')
  const { tenantId, mac, callerName } = found
  const caller = formatMac(parseMacDigits(cleanText(call.query.get('callerMac'))) ?? '')
  const body = { caller_mac: caller, target_mac: formatMac(mac), caller_nickname: callerName }
  return { tenantId, path: '/api/call/request', body }
}

/** Accepts only for a bound device that the voice server serves. */
async function acceptedCall({ query, side, serverTenant }: ServerCall): Promise<GatewayRequest | CallResponse> {
  const mac = parseMacDigits(cleanText(query.get('callerMac')))
  const { rows } = await side.services.database.pool.query<{ tenantId: number }>(
    'select tenant_id as "tenantId" from agent_devices where mac = $1 and ($2 = 1 or tenant_id = $2)',
    [mac ?? '', serverTenant],
  )
  if (mac === undefined || !rows[0]) return error('设备还没有绑定，不能接听。')
  return { tenantId: rows[0].tenantId, path: '/api/call/accept', body: { mac: formatMac(mac) } }
}

const error = (message: string): CallResponse => ({ status: 'error', message })
