import type { Endpoint, InputOf } from '@oms/contract/kernel/endpoint.ts'
import { CODE, type Envelope } from '@oms/contract/kernel/envelope.ts'
import type { JobAnswer } from '@oms/contract/kernel/transfer.ts'
import { sessionHeaders, TIMEOUT_MS } from './call.ts'
import { currentSession } from './session.tsx'
import { QUIET_SECONDS, toast, toastOnce } from './toast.ts'
import { type Fields, sendableOf } from './wire.ts'

const DOWNLOAD_TEXT: Readonly<Record<number, string>> = {
  401: '认证失败，无法访问系统资源',
  403: '当前操作没有权限',
  404: '访问资源不存在',
}
const DOWNLOAD_UNKNOWN = '系统未知错误，请反馈给管理员'
const DOWNLOAD_FAILED = '下载文件出现错误，请联系管理员！'

/** What came of asking for a file: it was saved, a job makes it, or it was refused. */
export type Fetched =
  | { readonly kind: 'saved' }
  | { readonly kind: 'later'; readonly jobId: number; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }

/**
 * Downloads by GET with a bearer token and saves the answer. A name the server gives wins over `filename`;
 * without either it is a zip. Resolves to whether a file was saved; the person was told if not.
 */
export async function download<E extends Endpoint>(endpoint: E, input: InputOf<E>, filename?: string) {
  const result = await fetchFile(endpoint, input, filename)
  if (result.kind === 'refused') toastOnce('error', result.message, QUIET_SECONDS)
  if (result.kind === 'later') toast.success(result.message)
  return result.kind === 'saved'
}

/** Like `download`, for those who tell the person themselves. */
export async function fetchFile<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  filename = 'download.zip',
): Promise<Fetched> {
  const { url, body, contentType } = sendableOf(endpoint, input as Fields)
  try {
    const response = await fetch(url, {
      method: endpoint.method,
      body,
      headers: {
        ...sessionHeaders(),
        ...(contentType && { 'content-type': contentType }),
        Authorization: `Bearer ${currentSession()?.token ?? ''}`,
      },
      // Only the first answer is timed; a large file may take as long as the line needs.
      signal: firstAnswer(),
    })
    // A JSON answer is no file, whatever its status; a file of our own called `.json` arrives as an attachment.
    const isJson = response.headers.get('content-type')?.includes('application/json')
    if (!response.ok || (isJson && !response.headers.has('content-disposition')))
      return answerIn(response.status, await response.json().catch(() => ({})))
    save(await response.blob(), nameIn(response.headers.get('content-disposition')) ?? filename)
    return { kind: 'saved' }
  } catch {
    return { kind: 'refused', message: DOWNLOAD_FAILED }
  }
}

const firstAnswer = () => AbortSignal.timeout(TIMEOUT_MS * 10)

/** Reads the JSON that came instead of a file. */
export function answerIn(status: number, { code = status, msg = '', data }: Partial<Envelope>): Fetched {
  const jobId = (data as Partial<JobAnswer> | null | undefined)?.jobId
  if (code === CODE.ok && Number.isInteger(jobId)) return { kind: 'later', jobId: jobId as number, message: msg }
  return { kind: 'refused', message: downloadText(code, msg) }
}

/** The specification's texts for a refused download. */
export const downloadText = (code: number, msg: string) => DOWNLOAD_TEXT[code] ?? (msg || DOWNLOAD_UNKNOWN)

/** The file name of a `content-disposition`, the UTF-8 one first. */
export function nameIn(disposition: string | null) {
  const encoded = /filename\*=(?:UTF-8'')?([^;]+)/i.exec(disposition ?? '')?.[1]
  const plain = /filename="?([^";]+)"?/i.exec(disposition ?? '')?.[1]
  try {
    return encoded ? decodeURIComponent(encoded.trim()) : plain?.trim()
  } catch {
    return plain?.trim()
  }
}

/** Hands bytes to the browser's own downloads. */
export function save(blob: Blob, filename: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = filename
  link.click()
  // The browser needs the address until it has begun to write.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
