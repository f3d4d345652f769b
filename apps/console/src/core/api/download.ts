import type { Endpoint, InputOf } from '@oms/contract/core/endpoint.ts'
import { RESPONSE_CODE, type Envelope } from '@oms/contract/core/envelope.ts'
import type { JobResponse } from '@oms/contract/core/transfer.ts'
import { buildSessionHeaders, TIMEOUT_MS } from './client.ts'
import { getSession } from '#core/auth/session.tsx'
import { QUIET_SECONDS, toast, showToastOnce } from '#core/loading/toast.ts'
import { type Fields, toRequestParts } from './wire.ts'

const DOWNLOAD_TEXT: Readonly<Record<number, string>> = {
  401: '认证失败，无法访问系统资源',
  403: '当前操作没有权限',
  404: '访问资源不存在',
}
const DOWNLOAD_UNKNOWN = '系统未知错误，请反馈给管理员'
const DOWNLOAD_FAILED = '下载文件出现错误，请联系管理员！'

/** Result of a download request: saved, continued as a job, or refused. */
export type DownloadResult =
  | { readonly kind: 'saved' }
  | { readonly kind: 'later'; readonly jobId: number; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }

/**
 * Downloads a file by GET with a bearer token and saves it. The server's file name has priority over `filename`; the
 * default is a zip name. Resolves to whether a file was saved; errors are already shown to the user.
 */
export async function download<E extends Endpoint>(endpoint: E, input: InputOf<E>, filename?: string) {
  const result = await fetchFile(endpoint, input, filename)
  if (result.kind === 'refused') showToastOnce('error', result.message, QUIET_SECONDS)
  if (result.kind === 'later') toast.success(result.message)
  return result.kind === 'saved'
}

/** Downloads a file without messages to the user; the caller shows the result. */
export async function fetchFile<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  filename = 'download.zip',
): Promise<DownloadResult> {
  const { url, body, contentType } = toRequestParts(endpoint, input as Fields)
  try {
    const response = await fetch(url, {
      method: endpoint.method,
      body,
      headers: {
        ...buildSessionHeaders(),
        ...(contentType && { 'content-type': contentType }),
        Authorization: `Bearer ${getSession()?.token ?? ''}`,
      },
      // The timeout applies only until the response headers arrive; the transfer of a large file is not limited.
      signal: createResponseTimeout(),
    })
    // A JSON response is an error or a job. A `.json` file is sent as an attachment.
    const isJson = response.headers.get('content-type')?.includes('application/json')
    if (!response.ok || (isJson && !response.headers.has('content-disposition')))
      return toFetched(response.status, await response.json().catch(() => ({})))
    saveBlob(await response.blob(), parseFileName(response.headers.get('content-disposition')) ?? filename)
    return { kind: 'saved' }
  } catch {
    return { kind: 'refused', message: DOWNLOAD_FAILED }
  }
}

const createResponseTimeout = () => AbortSignal.timeout(TIMEOUT_MS * 10)

/** Parses the JSON that was returned instead of a file. */
export function toFetched(status: number, { code = status, msg = '', data }: Partial<Envelope>): DownloadResult {
  const jobId = (data as Partial<JobResponse> | null | undefined)?.jobId
  if (code === RESPONSE_CODE.ok && Number.isInteger(jobId))
    return { kind: 'later', jobId: jobId as number, message: msg }
  return { kind: 'refused', message: findDownloadText(code, msg) }
}

/** Messages of the specification for a refused download. */
export const findDownloadText = (code: number, msg: string) => DOWNLOAD_TEXT[code] ?? (msg || DOWNLOAD_UNKNOWN)

/** Returns the file name of a `content-disposition` header; the UTF-8 name has priority. */
export function parseFileName(disposition: string | null) {
  const encoded = /filename\*=(?:UTF-8'')?([^;]+)/i.exec(disposition ?? '')?.[1]
  const plain = /filename="?([^";]+)"?/i.exec(disposition ?? '')?.[1]
  try {
    return encoded ? decodeURIComponent(encoded.trim()) : plain?.trim()
  } catch {
    return plain?.trim()
  }
}

/** Saves a blob with the browser's download function. */
export function saveBlob(blob: Blob, filename: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = filename
  link.click()
  // The browser reads the URL until the download starts, so the URL is revoked later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
