import { activateLicense } from '#kernel/license/activate.ts'
import { clean, wrong } from '../answer.ts'
import type { PlainAnswer, PlainCall } from './routes.ts'

/** `activate`: the certificate a device carries is its own from now on; said again it changes nothing. */
export async function activate({ side, body, sn, deviceId }: PlainCall): Promise<PlainAnswer> {
  const uid = clean(body.uid, 64)
  if (uid === '') throw wrong('uid is missing')
  const said = clean(body.mac, 32)
  const mac = said.toLowerCase().replaceAll(/[:.\s-]/g, '')
  if (said !== '' && !/^[0-9a-f]{12}$/.test(mac)) throw wrong('mac must be 12 hex digits')
  const { status, state, msg } = await activateLicense(side.kernel, { uid, sn, deviceId, ...(mac && { mac }) })
  return { status, body: { uid, state, message: msg } }
}
