import { createHmac, timingSafeEqual } from 'node:crypto'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { decrypt } from '#core/crypto/keys.ts'
import type { Services } from '#core/services.ts'
import { zoneOffsetMinutes } from '#core/time/zone.ts'
import { isDeviceEnabled } from '#modules/device/wire/identify.ts'
import { isLocalAddress } from '#modules/device/wire/limits.ts'
import { readReport, parseRepairedJson } from '#modules/device/wire/request.ts'
import { DeviceError } from '#modules/device/wire/response.ts'
import type { BoundDevice, ValidCode } from '../../devices/bound-devices.ts'
import { addEvents } from '../../devices/device-events.ts'
import { SERVER_SECRET_CODE } from '../../parameter-values.ts'
import { createAccessToken } from '../../voice-servers/server-actions.ts'
import {
  buildBootResponse,
  type FirmwareOffer,
  buildNoUpdateOffer,
  selectVoiceServerUrl,
  type BootReport,
  parseBootReport,
  type DeviceIdentity,
  readIdentity,
  MAX_REPORT_BYTES,
} from './boot-report.ts'
import { type XiaozhiCall, sendPlainJson } from './call.ts'
import { offerFirmware } from './firmware.ts'
import { countMacCall } from './mac-limit.ts'

const PLATFORM = 1

/** Handles `POST /xiaozhi/ota/`, which a device sends at each boot. `GET` returns a line of text for people. */
export async function handleBootRequest(call: XiaozhiCall) {
  const { request, response } = call
  if (request.method === 'GET' || request.method === 'HEAD') return sendStatus(call)
  if (request.method !== 'POST') throw new DeviceError(405, 'POST only')
  const identity = readIdentity(request)
  const report = parseBootReport(await readReport(request, MAX_REPORT_BYTES))
  if (typeof identity === 'string') return sendPlainJson(call, { error: identity })
  countMacCall(identity.mac, call.now)
  const { device, code } = await call.side.boundDevices.find(identity.mac)
  const answer = device
    ? await answerBound(call, { identity, report, device })
    : await answerUnbound(call, { identity, report, code })
  if (!response.destroyed) sendPlainJson(call, answer)
}

async function sendStatus(call: XiaozhiCall) {
  const { websocket } = await readBootParameters(call.side.services, PLATFORM)
  const count = websocket.split(';').filter((each) => each.trim()).length
  const text = `OTA接口运行正常，语音服务地址：${count === 0 ? '默认' : `${count}个`}\n`
  call.response
    .writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) })
    .end(call.request.method === 'HEAD' ? undefined : text)
}

interface Boot {
  readonly identity: DeviceIdentity
  readonly report: BootReport
}

/** Returns the parts of the response that are equal for all devices. */
function commonParts(call: XiaozhiCall, identity: DeviceIdentity, parameters: BootParameters, hasToken: boolean) {
  const { timeZone } = call.side.services.config
  const { now, origin } = call
  return {
    now,
    timeZone,
    offset: zoneOffsetMinutes(now, timeZone),
    websocket: {
      url: selectVoiceServerUrl(parameters.websocket, origin),
      token: hasToken && parameters.isAuthEnabled ? createAccessToken(parameters.secret, identity, now) : '',
    },
  }
}

/** Returns the response to an unbound device: an activation code, and never an upgrade. */
async function answerUnbound(call: XiaozhiCall, boot: Boot & { code: ValidCode | undefined }) {
  const { identity, report } = boot
  const parameters = await readBootParameters(call.side.services, PLATFORM)
  // The code keeps the facts of the last boot for the binding. For example, an erased flash changes the Client-Id.
  const isCurrent = boot.code !== undefined && isOfSameBoot(boot.code, boot)
  const code = isCurrent ? boot.code?.code : ((await storeCode(call, boot)) ?? boot.code?.code)
  const consoleUrl = parameters.consoleUrl || call.origin
  return buildBootResponse({
    ...commonParts(call, identity, parameters, true),
    firmware: buildNoUpdateOffer(call.origin, report.version),
    gateway: parameters.gateway && { ...parameters.gateway, mac: identity.mac, board: undefined, ip: ipOf(call) },
    activation: code === undefined ? undefined : { code, consoleUrl, challenge: identity.deviceId },
  })
}

const isOfSameBoot = ({ board, version, clientId, serial }: ValidCode, { identity, report }: Boot) =>
  board === report.board && version === report.reported && clientId === identity.clientId && serial === identity.serial

/** Creates the activation code of the device, or stores the facts of this boot with its valid code. */
async function storeCode(call: XiaozhiCall, { identity, report, code }: Boot & { code: ValidCode | undefined }) {
  const { side, ip } = call
  const { mac, clientId, serial } = identity
  const device = { mac, clientId, serial, board: report.board, version: report.reported, ip: ipOf(call) }
  const created = await side.activationCodes.create(device, isLocalAddress(ip))
  if (!created && code === undefined)
    side.services.log.warn({ mac, ip }, 'no activation code: the limit of new codes is reached')
  if (created?.isNew)
    await addEvents(side.services.database.db, [{ mac, kind: AGENT_EVENT_KIND.code, detail: { board: report.board } }])
  return created?.code
}

const ipOf = ({ ip }: XiaozhiCall) => ip.replace(/^::ffff:/, '').slice(0, 45)

/** Returns the response to a bound device. A call with another Client-Id, or of a disabled device, gets no firmware. */
async function answerBound(call: XiaozhiCall, boot: Boot & { device: BoundDevice }) {
  const { identity, report, device } = boot
  const { services } = call.side
  const parameters = await readBootParameters(services, device.tenantId)
  const isOther = device.clientId !== '' && device.clientId !== identity.clientId
  const slot = await slotOf(call, device)
  const isOpen = slot >= 0 && isDeviceEnabled(services, slot)
  const isRefused = !isOpen || (isOther && parameters.refusesOtherIdentity)
  const hasToken = !isRefused
  let firmware: FirmwareOffer | undefined
  if (isOther) await noteIdentity(call, boot)
  else if (isOpen) {
    call.side.presence.saw(slot, call.ip, call.now)
    call.side.bootTimes.saw({
      mac: identity.mac,
      tenantId: device.tenantId,
      at: call.now,
      clientId: identity.clientId,
      board: report.boardType,
      version: report.reported,
      hasToken: hasToken && parameters.isAuthEnabled,
    })
    firmware = await offerFirmware({ call, slot, device, report })
  }
  const board = report.boardType || device.board
  return buildBootResponse({
    ...commonParts(call, identity, parameters, hasToken),
    firmware,
    gateway:
      parameters.gateway && !isRefused
        ? { ...parameters.gateway, mac: identity.mac, board, ip: ipOf(call) }
        : undefined,
    activation: undefined,
  })
}

/**
 * Returns the slot of the device in the fleet index. Waits for pending changes when the device is missing, because
 * another process may have just bound it.
 */
async function slotOf({ side }: XiaozhiCall, { deviceId }: BoundDevice) {
  const { fleet } = side.services
  if (fleet.slots.slotOf(deviceId) < 0) await side.tasks.caughtUp()
  return fleet.slots.slotOf(deviceId)
}

/** Records a call with another Client-Id. Further calls with this Client-Id record nothing. */
async function noteIdentity({ side, now }: XiaozhiCall, { identity, device }: Boot & { device: BoundDevice }) {
  if (device.otherClientId === identity.clientId) return
  const { mac, clientId } = identity
  const { rowCount } = await side.services.database.pool.query(
    `update agent_devices set other_client_id = $2, other_client_time = now(), identity_note = $3
     where device_id = $1 and other_client_id <> $2`,
    [device.deviceId, clientId, '设备以另一个 Client-Id 启动，可能已擦除存储或被仿冒'],
  )
  if (!rowCount) return
  const event = { mac, tenantId: device.tenantId, kind: AGENT_EVENT_KIND.otherIdentity, detail: { clientId } }
  side.services.voiceServers.events.add(event, now)
}

const NOT_YET = 202

/**
 * Handles `POST /xiaozhi/ota/activate`: returns 200 when the device is bound and its proof is correct, else 202. The
 * device reads only the status.
 */
export async function handleActivation(call: XiaozhiCall) {
  const { request } = call
  const identity = readIdentity(request)
  const { text, isCut } = await readReport(request, MAX_REPORT_BYTES)
  if (typeof identity === 'string') return sendPlainJson(call, { error: identity }, NOT_YET)
  countMacCall(identity.mac, call.now)
  const { device } = await call.side.boundDevices.find(identity.mac)
  if (!device) return sendPlainJson(call, { message: 'not bound yet' }, NOT_YET)
  const body = isCut ? undefined : parseRepairedJson(text)
  if (await isProven(call, identity, device, body)) return sendPlainJson(call, { message: 'activated' })
  const { mac } = identity
  const event = {
    mac,
    tenantId: device.tenantId,
    kind: AGENT_EVENT_KIND.wrongProof,
    detail: { serial: identity.serial },
  }
  call.side.services.voiceServers.events.add(event, call.now)
  return sendPlainJson(call, { message: 'wrong hmac' }, NOT_YET)
}

/**
 * Returns true when the HMAC of the device is correct. No proof is needed without an imported key. The key of the bound
 * device takes precedence over the key of the serial number in the call. So a call without the serial number needs the
 * proof, and a call with another serial number is refused.
 */
async function isProven(
  { side }: XiaozhiCall,
  { serial, deviceId: challenge }: DeviceIdentity,
  { deviceId }: BoundDevice,
  body: unknown,
): Promise<boolean> {
  const { database, config } = side.services
  const { rows } = await database.pool.query<{ key: string; registered: string }>({
    name: 'agent-identity-key',
    text: `select k.key_encrypted as key, k.serial as registered from agent_devices a join devices d on d.id = a.device_id
      join agent_identity_keys k on k.tenant_id = a.tenant_id and k.serial in (a.serial, d.sn, $1)
      where a.device_id = $2 order by k.serial = a.serial desc, k.serial = d.sn desc limit 1`,
    values: [serial, deviceId],
  })
  if (!rows[0]) return true
  if (serial !== '' && serial !== rows[0].registered) return false
  const given = (body as { hmac?: unknown } | null | undefined)?.hmac
  if (typeof given !== 'string') return false
  // The challenge of the boot response is the Device-Id.
  const key = Buffer.from(decrypt(config.secretKey, rows[0].key), 'hex')
  const expected = createHmac('sha256', key).update(challenge).digest()
  const sent = Buffer.from(given, 'hex')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

/** Parameters of a tenant for the responses to its devices. */
interface BootParameters {
  readonly secret: string
  readonly isAuthEnabled: boolean
  /** Addresses of voice servers, separated by semicolons; empty for the default. */
  readonly websocket: string
  /** Address of the console that a device shows with its code; empty for the called address. */
  readonly consoleUrl: string
  /** MQTT gateway; undefined unless its address and its key are set. */
  readonly gateway: { readonly endpoint: string; readonly signatureKey: string } | undefined
  /** True when a device with another Client-Id gets no token. */
  readonly refusesOtherIdentity: boolean
}

/** Returns the parameters of a tenant. */
async function readBootParameters({ agentParameters }: Services, tenantId: number): Promise<BootParameters> {
  const values = await agentParameters.of(tenantId)
  const [endpoint, signatureKey] = [values.text('server.mqtt_gateway'), values.text('server.mqtt_signature_key')]
  return {
    secret: values.text(SERVER_SECRET_CODE),
    isAuthEnabled: values.isOn('server.auth.enabled'),
    websocket: values.text('server.websocket'),
    consoleUrl: values.text('server.fronted_url'),
    gateway: endpoint && signatureKey ? { endpoint, signatureKey } : undefined,
    refusesOtherIdentity: values.text('device.identity') === '1',
  }
}
