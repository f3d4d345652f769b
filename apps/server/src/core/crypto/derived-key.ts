import { hkdfSync } from 'node:crypto'

const KEY_BYTES = 32
const keys = new WeakMap<Buffer, Map<string, Buffer>>()

/**
 * Returns the key of one use, derived from the installation's secret key by HKDF-SHA256 and kept in memory. A higher
 * `version` makes all earlier tokens of the use invalid.
 */
export function deriveKey(secretKey: Buffer, use: string, version = 1): Buffer {
  const info = `oms ${use} ${version}`
  const byInfo = keys.get(secretKey) ?? new Map<string, Buffer>()
  keys.set(secretKey, byInfo)
  const known = byInfo.get(info)
  if (known) return known
  const derived = Buffer.from(hkdfSync('sha256', secretKey, '', info, KEY_BYTES))
  byInfo.set(info, derived)
  return derived
}
