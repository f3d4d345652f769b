import { Readable } from 'node:stream'
import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { Incoming } from './context.ts'
import { invalid } from './problem.ts'

/** The file of a multipart or binary call with the text fields sent before it; the stream is not read yet. */
export async function incomingOf(
  endpoint: Endpoint,
  request: FastifyRequest,
): Promise<{ incoming: Incoming | null; fields?: Record<string, string> }> {
  if (endpoint.body === 'binary') {
    if (!(request.body instanceof Readable)) throw invalid('请以 application/octet-stream 发送文件内容', 'file')
    return { incoming: { name: '', stream: request.body } }
  }
  if (endpoint.body !== 'multipart') return { incoming: null }
  if (!request.isMultipart()) throw invalid('请以 multipart/form-data 发送文件', 'file')
  const part = await request.file()
  if (!part || part.fieldname !== 'file') throw invalid('请选择文件', 'file')
  const fields = Object.entries(part.fields).flatMap(([name, field]) =>
    field && !Array.isArray(field) && field.type === 'field' && typeof field.value === 'string'
      ? [[name, field.value]]
      : [],
  )
  return { incoming: { name: part.filename ?? '', stream: part.file }, fields: Object.fromEntries(fields) }
}
