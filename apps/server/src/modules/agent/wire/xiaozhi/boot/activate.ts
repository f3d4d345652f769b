import { createHmac, timingSafeEqual } from 'node:crypto'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { decrypt } from '#core/crypto/keys.ts'
import type { BoundDevice } from '../../../devices/bound-devices.ts'
import { parseRepairedJson, readReport } from '#modules/device/wire/request.ts'
import { type DeviceIdentity, readIdentity, MAX_REPORT_BYTES } from './boot-report.ts'
import type { XiaozhiCall } from '../call.ts'
import { countMacCall } from './mac-limit.ts'
import { sendPlainJson } from './send-bare.ts'

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
