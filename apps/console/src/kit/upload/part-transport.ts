import { files } from '@oms/contract/file.ts'
import { heedAnswer, heedEnvelope } from '#kernel/answer.ts'
import { call, isRefusal, sessionHeaders } from '#kernel/call.ts'
import { send } from '#kernel/transport.ts'
import type { Transport } from './resumable.ts'

/** The same for the same file chosen again, also after a reload. */
export const fingerprintOf = ({ name, size, lastModified }: File) => `${name.slice(0, 120)}:${size}:${lastModified}`

/** Talks to the server about a component's parts; quiet, because the upload's own line tells how it goes. */
export const partTransport: Transport = {
  begin: (file) =>
    call(
      files.begin,
      { purpose: 'component', name: file.name, size: file.size, fingerprint: fingerprintOf(file) },
      { quiet: true },
    ),
  part: async (uploadId, index, bytes, onSent, signal) => {
    const sha256 = await digestOf(bytes)
    const path = files.putPart.path.replace(':uploadId', uploadId).replace(':index', String(index))
    const answer = await send({
      url: sha256 ? `${path}?sha256=${sha256}` : path,
      method: files.putPart.method,
      headers: { ...sessionHeaders(), 'content-type': 'application/octet-stream' },
      body: bytes,
      timeout: 0,
      signal,
      onUpload: onSent,
    }).catch((error: unknown) => heedAnswer(error, true))
    return heedEnvelope(answer, true)
  },
  finish: async (uploadId) => call(files.finish, { uploadId }, { quiet: true }),
  abort: (uploadId) => call(files.abort, { uploadId }, { quiet: true }),
}

/** A lost line or a broken server may be better in a moment; a session that ended is renewed in its dialog. */
export const mayRetry = (error: unknown) => isRefusal(error) && (error.worthRetrying || error.code === 401)

/** Browsers offer digests on https and localhost only; elsewhere the part goes without. */
async function digestOf(bytes: Blob) {
  if (!globalThis.crypto.subtle) return undefined
  const digest = await crypto.subtle.digest('SHA-256', await bytes.arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Waits, but not longer than the line is away. */
export function waitForLine(ms: number, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const now = () => resolve()
  addEventListener('online', now)
  signal.addEventListener('abort', now)
  return promise.finally(() => {
    clearTimeout(timer)
    removeEventListener('online', now)
    signal.removeEventListener('abort', now)
  })
}
