import { Readable } from 'node:stream'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { IncomingFile } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'

/**
 * Returns the file of a multipart or binary call with the text fields sent before the file. The stream is not read yet.
 */
export async function readIncomingFile(
  endpoint: Endpoint,
  request: FastifyRequest,
): Promise<{ incoming: IncomingFile | null; fields?: Record<string, string> }> {
  if (endpoint.body === 'binary') {
    if (!(request.body instanceof Readable)) throw invalid('请以 application/octet-stream 发送文件内容', 'file')
    return { incoming: { name: '', stream: request.body } }
  }
  if (endpoint.body !== 'multipart') return { incoming: null }
  if (!request.isMultipart()) throw invalid('请以 multipart/form-data 发送文件', 'file')
  const part = await request.file().catch((error: unknown) => {
    // The parser throws errors without a code for an invalid header, such as a missing boundary.
    if (error instanceof Error && !('code' in error)) throw invalid('请求内容格式不正确', 'file')
    throw error
  })
  if (!part || part.fieldname !== 'file') throw invalid('请选择文件', 'file')
  const fields = Object.entries(part.fields).flatMap(([name, field]) =>
    field && !Array.isArray(field) && field.type === 'field' && typeof field.value === 'string'
      ? [[name, field.value]]
      : [],
  )
  return { incoming: { name: part.filename ?? '', stream: part.file }, fields: Object.fromEntries(fields) }
}
