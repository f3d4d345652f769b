import { createHmac, timingSafeEqual } from 'node:crypto'
import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { decrypt } from '#core/crypto/encrypted-value.ts'
import { addEvents } from '#domain/agents/devices/device-events.ts'
import { parseRepairedJson, readReport } from '#protocols/shared/read-body.ts'
import { type Identity, readIdentity, MAX_REPORT_BYTES } from './boot-report.ts'
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
  if (await isProven(call, { ...identity, tenantId: device.tenantId }, body))
    return sendPlainJson(call, { message: 'activated' })
  const { mac } = identity
  const event = {
    mac,
    tenantId: device.tenantId,
    kind: AGENT_EVENT_KIND.wrongProof,
    detail: { serial: identity.serial },
  }
  await addEvents(call.side.services.database.db, [event])
  return sendPlainJson(call, { message: 'wrong hmac' }, NOT_YET)
}

/**
 * Returns true when the HMAC of the device is correct. No proof is needed for a device without a serial number or for a
 * serial number without an imported key.
 */
async function isProven(
  { side }: XiaozhiCall,
  { serial, deviceId, tenantId }: Identity & { tenantId: number },
  body: unknown,
): Promise<boolean> {
  if (serial === '') return true
  const { database, config } = side.services
  const { rows } = await database.pool.query<{ key: string }>({
    name: 'agent-identity-key',
    text: 'select key_encrypted as key from agent_identity_keys where serial = $1 and tenant_id = $2',
    values: [serial, tenantId],
  })
  if (!rows[0]) return true
  const given = (body as { hmac?: unknown } | null | undefined)?.hmac
  if (typeof given !== 'string') return false
  // The challenge of the boot response is the Device-Id.
  const key = Buffer.from(decrypt(config.secretKey, rows[0].key), 'hex')
  const expected = createHmac('sha256', key).update(deviceId).digest()
  const sent = Buffer.from(given, 'hex')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
