import { readFileSync } from 'node:fs'
import type { Product } from './product.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Calls the API like the console; any result other than success throws. */
export async function ask<T>(
  { url }: Product,
  ticket: string,
  [method, path]: readonly [Method, string],
  body?: FormData | object,
): Promise<T> {
  const isForm = body instanceof FormData
  const headers = { ticket, ...(body && !isForm && { 'content-type': 'application/json' }) }
  const reply = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  })
  const { code, msg, data } = (await reply.json()) as { code: number; msg: string; data: T }
  if (code !== 200) throw new Error(`${method} ${path}: ${code} ${msg}`)
  return data
}

export interface JobSeen {
  readonly state: string
  readonly percent: number
  readonly rows: number | null
  readonly error: string
  readonly report: { readonly created: number; readonly failed: number } | null
}

/** Polls a job every 100 ms until it ends, and calls `onLook` with each state. */
export async function untilDone(
  product: Product,
  ticket: string,
  jobId: number,
  onLook: (job: JobSeen) => void = () => {},
): Promise<JobSeen> {
  for (;;) {
    const job = await ask<JobSeen>(product, ticket, ['GET', `/api/v1/account/job/${jobId}`])
    onLook(job)
    if (job.state === 'failed') throw new Error(job.error)
    if (job.state === 'done') return job
    await new Promise((done) => setTimeout(done, 100))
  }
}

/** Returns the server's current resident memory in MB. */
export const memoryOf = ({ pid }: Product) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
