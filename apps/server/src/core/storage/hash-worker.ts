import { createHash, type Hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { HashResponse, HashRequest } from './hash-pool.ts'

/** Open digests by the id that the main thread assigned. */
const open = new Map<number, Hash[]>()
const port = parentPort
const respond = (message: HashResponse) => port?.postMessage(message, 'bytes' in message ? [message.bytes] : [])

port?.on('message', (order: HashRequest) => {
  const hashes = open.get(order.id) ?? ['sha256', 'md5', 'sha1'].map((name) => createHash(name))
  open.set(order.id, hashes)
  if ('bytes' in order) {
    const bytes = new Uint8Array(order.bytes, 0, order.length)
    for (const hash of hashes) hash.update(bytes)
    return respond({ id: order.id, bytes: order.bytes })
  }
  open.delete(order.id)
  const [sha256 = '', md5 = '', sha1 = ''] = order.end ? hashes.map((hash) => hash.digest('hex')) : []
  return respond({ id: order.id, sha256, md5, sha1 })
})
