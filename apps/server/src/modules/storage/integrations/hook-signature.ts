import { createHmac, timingSafeEqual } from 'node:crypto'
import { SIGNATURE_TOLERANCE_SECONDS } from '@oms/contract/core/signature.ts'

const HEADER = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64}){1,5})$/

const signatureOf = (secret: string, time: string, body: Buffer) =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest()

/**
 * Returns whether one of the secrets signed the body: header `t=<unix seconds>,v1=<hex of HMAC-SHA256>` over
 * `<t>.<body>`. All combinations are compared in constant time.
 */
export function isSignedBy(secrets: readonly string[], header: string | undefined, body: Buffer, now: Date): boolean {
  const [, time, list] = HEADER.exec(header ?? '') ?? []
  if (time === undefined || list === undefined) return false
  const isOnTime = Math.abs(Math.floor(now.getTime() / 1000) - Number(time)) <= SIGNATURE_TOLERANCE_SECONDS
  const given = [...list.matchAll(/v1=([0-9a-f]{64})/g)].map(([, hex]) => Buffer.from(hex!, 'hex'))
  const matches = secrets.flatMap((secret) => {
    const expected = signatureOf(secret, time, body)
    return given.map((each) => timingSafeEqual(each, expected))
  })
  return isOnTime && matches.includes(true)
}
