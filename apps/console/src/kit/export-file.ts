import type { Endpoint, InputOf } from '@oms/contract/kernel/endpoint.ts'
import { CODE } from '@oms/contract/kernel/envelope.ts'
import type { jobAnswer } from '@oms/contract/kernel/transfer.ts'
import type * as z from 'zod'
import { sessionHeaders } from '#kernel/call.ts'
import { DOWNLOAD_FAILED, downloadText, nameIn, save } from '#kernel/download.ts'
import { currentSession } from '#kernel/session.tsx'
import { type Fields, sendableOf } from '#kernel/wire.ts'

/** What came of an export: a file was saved, the work goes on as a job, or it was refused. */
export type Exported =
  | { readonly kind: 'saved' }
  | { readonly kind: 'later'; readonly jobId: number; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }

/** Asks for an export and saves it; a large one is answered by the job that makes it. */
export async function exportFile<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  filename: string,
): Promise<Exported> {
  const { url, body, contentType } = sendableOf(endpoint, input as Fields)
  const authorization = `Bearer ${currentSession()?.token ?? ''}`
  try {
    const headers = { ...sessionHeaders(), authorization, ...(contentType && { 'content-type': contentType }) }
    const response = await fetch(url, { headers, ...(endpoint.method !== 'GET' && { method: endpoint.method, body }) })
    const told = response.headers.get('content-type')?.includes('application/json')
    if (response.ok && !told) {
      save(await response.blob(), nameIn(response.headers.get('content-disposition')) ?? filename)
      return { kind: 'saved' }
    }
    return answerIn(response.status, await response.json().catch(() => ({})))
  } catch {
    return { kind: 'refused', message: DOWNLOAD_FAILED }
  }
}

/** Reads the JSON that came instead of a file. */
export function answerIn(status: number, { code = status, msg = '', data }: Partial<Answer>): Exported {
  const jobId = (data as Partial<z.output<typeof jobAnswer>> | null)?.jobId
  if (code === CODE.ok && Number.isInteger(jobId)) return { kind: 'later', jobId: jobId as number, message: msg }
  return { kind: 'refused', message: downloadText(code, msg) }
}

interface Answer {
  readonly code: number
  readonly msg: string
  readonly data: unknown
}
