import { hash } from 'node:crypto'

const BLOCK = 64

/**
 * Returns a function that computes HMAC-SHA-256 with this key (RFC 2104) by two one-shot hashes. `createHmac` takes four
 * times as long for short messages.
 */
export function createHmacFunction(key: Uint8Array): (message: Uint8Array) => Buffer {
  const block = Buffer.alloc(BLOCK)
  block.set(key.length > BLOCK ? hash('sha256', key, 'buffer') : key)
  const inner = block.map((byte) => byte ^ 0x36)
  const outer = Buffer.alloc(BLOCK + 32)
  for (let at = 0; at < BLOCK; at += 1) outer[at] = block[at]! ^ 0x5c
  return (message) => {
    outer.set(hash('sha256', Buffer.concat([inner, message]), 'buffer'), BLOCK)
    return hash('sha256', outer, 'buffer')
  }
}
