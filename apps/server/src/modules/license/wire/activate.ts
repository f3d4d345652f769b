import { activateLicense } from '../activate.ts'
import { sanitizeDeviceText, badRequest } from '#modules/device/wire/response.ts'
import type { PlainResponse, PlainCall } from '#modules/device/wire/request.ts'

/** Handles `activate`: binds the certificate that a device presents. A repeated call changes nothing. */
export async function handleActivation({ side, body, sn, deviceId }: PlainCall): Promise<PlainResponse> {
  const uid = sanitizeDeviceText(body.uid, 64)
  if (uid === '') throw badRequest('uid is missing')
  const said = sanitizeDeviceText(body.mac, 32)
  const mac = said.toLowerCase().replaceAll(/[:.\s-]/g, '')
  if (said !== '' && !/^[0-9a-f]{12}$/.test(mac)) throw badRequest('mac must be 12 hex digits')
  const { status, state, msg } = await activateLicense(side.services, { uid, sn, deviceId, ...(mac && { mac }) })
  return { status, body: { uid, state, message: msg } }
}
