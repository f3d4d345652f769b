import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { files } from '@oms/contract/system/file.ts'
import { handleResponse, handleEnvelope } from '#core/api/response.ts'
import { call, isApiError, buildSessionHeaders } from '#core/api/client.ts'
import { sendRequest } from '#core/api/transport.ts'
import type { Transport } from './resumable.ts'

/** Returns a text that identifies a file of the user. Equal when the file is selected again, also after a reload. */
export const computeFileFingerprint = ({ name, size, lastModified }: File) =>
  `${name.slice(0, 120)}:${size}:${lastModified}`

type PartPurpose = InputOf<typeof files.begin>['purpose']

/** Returns the transport of files of one purpose in parts. Calls are quiet, because the upload shows their errors. */
export const createPartTransport = (purpose: PartPurpose): Transport => ({
  begin: (file) =>
    call(
      files.begin,
      // One file may be uploaded for two purposes.
      { purpose, name: file.name, size: file.size, fingerprint: `${computeFileFingerprint(file)}:${purpose}` },
      { quiet: true },
    ),
  part: async (uploadId, index, bytes, onSent, signal) => {
    const sha256 = await digestOf(bytes)
    const path = files.putPart.path.replace(':uploadId', uploadId).replace(':index', String(index))
    const answer = await sendRequest({
      url: sha256 ? `${path}?sha256=${sha256}` : path,
      method: files.putPart.method,
      headers: { ...buildSessionHeaders(), 'content-type': 'application/octet-stream' },
      body: bytes,
      timeout: 0,
      signal,
      onUpload: onSent,
    }).catch((error: unknown) => handleResponse(error, true))
    return handleEnvelope(answer, true)
  },
  finish: async (uploadId) => call(files.finish, { uploadId }, { quiet: true }),
  abort: (uploadId) => call(files.abort, { uploadId }, { quiet: true }),
})
export const partTransport = createPartTransport('component')

/**
 * Returns whether a retry can succeed: network failures and server errors; an ended session is renewed in its dialog.
 */
export const mayRetry = (error: unknown) => isApiError(error) && (error.worthRetrying || error.code === 401)

/** Returns the digest of a part; undefined where WebCrypto is missing (plain http outside localhost). */
async function digestOf(bytes: Blob) {
  if (!globalThis.crypto.subtle) return undefined
  const digest = await crypto.subtle.digest('SHA-256', await bytes.arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Waits until the delay has passed or the browser is online again. */
export function waitUntilOnline(ms: number, signal: AbortSignal) {
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
