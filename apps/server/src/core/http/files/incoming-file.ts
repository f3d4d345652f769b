import { Readable } from 'node:stream'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { IncomingFile } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'

type Parts = ReturnType<FastifyRequest['parts']>

/**
 * Returns the file of a multipart or binary call with the fields sent before the file. The stream is not read yet. The
 * stream fails at its end when a field follows the file, because the input is parsed before the file is read.
 */
export async function readIncomingFile(
  endpoint: Endpoint,
  request: FastifyRequest,
): Promise<{ incoming: IncomingFile | null; fields?: Record<string, unknown> }> {
  if (endpoint.body === 'binary') {
    if (!(request.body instanceof Readable)) throw invalid('请以 application/octet-stream 发送文件内容', 'file')
    return { incoming: { name: '', stream: request.body } }
  }
  if (endpoint.body !== 'multipart') return { incoming: null }
  if (!request.isMultipart()) throw invalid('请以 multipart/form-data 发送文件', 'file')
  const parts = request.parts()
  const fields: Record<string, unknown> = {}
  try {
    for (;;) {
      const { value: part } = await parts.next()
      if (part?.type === 'field') {
        const earlier = fields[part.fieldname]
        fields[part.fieldname] = earlier === undefined ? part.value : [earlier, part.value].flat()
      } else if (part?.fieldname === 'file') {
        const stream = Readable.from(readWithoutLaterFields(part.file, parts), { objectMode: false })
        return { incoming: { name: part.filename, stream }, fields }
      } else throw invalid('请选择文件', 'file')
    }
  } catch (error) {
    // The parser throws errors without a code for an invalid header, such as a missing boundary.
    throw error instanceof Error && !('code' in error) ? invalid('请求内容格式不正确', 'file') : error
  }
}

async function* readWithoutLaterFields(file: Readable, parts: Parts) {
  yield* file
  for await (const { fieldname } of parts) throw invalid(`请把字段「${fieldname}」放在文件之前`, fieldname)
}
