import { join } from 'node:path'
import { psql } from './fleet.ts'
import type { Product } from './product.ts'

/** Coprime to usual numbers of devices, so that devices far from each other call one after the other. */
const STRIDE = 611_953
const source = (path: string) => import(join(import.meta.dirname, '../../apps/server/src', path))

export const macOf = (n: number) => n.toString(16).padStart(12, '0').match(/../g)!.join(':')

/** Returns a function with the number of the next device, from 1 to `devices`. */
export function deviceNumbers(devices: number) {
  let calls = 0
  return () => 1 + ((++calls * STRIDE) % devices)
}

/** Returns the headers of a voice server with the secret of the platform. */
export async function serverHeaders(product: Product): Promise<Record<string, string>> {
  const { decrypt } = (await source(
    'core/crypto/keys.ts',
  )) as typeof import('../../apps/server/src/core/crypto/keys.ts')
  const { readSecretKey } = (await source(
    'core/crypto/keys.ts',
  )) as typeof import('../../apps/server/src/core/crypto/keys.ts')
  // The first call with any secret creates the secret of the platform.
  await fetch(`${product.url}/xiaozhi/config/server-base`, {
    method: 'POST',
    headers: { authorization: 'Bearer none' },
  })
  const encrypted = psql(
    product,
    `select encrypted from agent_secrets where owner_kind = 3 and owner_id = 1 and field = 'server.secret'`,
  )
  const secret = decrypt(readSecretKey(product.dataDir, undefined), encrypted)
  return { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
}
