import { unescape } from 'node:querystring'
import { Readable, pipeline, Transform, PassThrough } from 'node:stream'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { IncomingFile } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'
import { createHash } from 'node:crypto'

/** Maximum characters kept of the body before the file. Part headers are shorter. */
const MAX_HEAD = 128 * 1024

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
  let head = ''
  const keepHead = (chunk: Buffer) => {
    head = `${head}${chunk.toString('latin1')}`.slice(-MAX_HEAD)
  }
  request.raw.on('data', keepHead)
  const fields: Record<string, unknown> = {}
  try {
    for (;;) {
      const { value: part } = await parts.next()
      if (part?.type === 'field') {
        const earlier = fields[part.fieldname]
        fields[part.fieldname] = earlier === undefined ? part.value : [earlier, part.value].flat()
      } else if (part?.fieldname === 'file') {
        const stream = Readable.from(readWithoutLaterFields(part.file, parts), { objectMode: false })
        return { incoming: { name: readExtendedName(head) ?? part.filename, stream }, fields }
      } else throw invalid('请选择文件', 'file')
    }
  } catch (error) {
    // The parser throws errors without a code for an invalid header, such as a missing boundary.
    throw error instanceof Error && !('code' in error) ? invalid('请求内容格式不正确', 'file') : error
  } finally {
    request.raw.off('data', keepHead)
  }
}

/**
 * Returns the name in `filename*` of the first part with a name, as .NET and Postman send beside an ASCII `filename`.
 * The parser drops `filename*` when `filename` stands before it.
 */
function readExtendedName(head: string) {
  const disposition = /^content-disposition:.*filename.*$/im.exec(head)?.[0] ?? ''
  const name = unescape(/;\s*filename\*\s*=\s*"?UTF-8'[^']*'([^";]+)/i.exec(disposition)?.[1] ?? '')
  return name === '' || name.includes('\uFFFD') ? undefined : name.split(/[\\/]/).at(-1)
}

async function* readWithoutLaterFields(file: Readable, parts: Parts) {
  yield* file
  for await (const { fieldname } of parts) throw invalid(`请把字段「${fieldname}」放在文件之前`, fieldname)
}

/** An incoming file whose bytes are hashed while they are read. */
interface HashedIncoming {
  readonly incoming: IncomingFile
  /** Returns the SHA-256 of the bytes read so far. */
  digest(): string
}

export function hashIncoming({ name, stream }: IncomingFile): HashedIncoming {
  const hash = createHash('sha256')
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  pipeline(stream, hashed, () => {})
  return { incoming: { name, stream: hashed }, digest: () => hash.copy().digest('hex') }
}

/** Reads a file to its end without storing it. Returns its SHA-256. */
export async function computeIncomingDigest({ stream }: IncomingFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/**
 * Returns a request body as a separate stream. A reader that stops destroys its stream. Destroying the request itself
 * would close the connection before the response.
 */
export function createUploadStream(payload: Readable): Readable {
  const stream = new PassThrough()
  payload.on('error', (error) => stream.destroy(error))
  payload.once('close', () => {
    if (!payload.readableEnded && !stream.readableEnded)
      stream.destroy(Object.assign(new Error('the upload was cut'), { code: 'ECONNRESET' }))
  })
  stream.once('close', () => payload.unpipe(stream))
  // The stream may have no reader when the connection is lost.
  stream.on('error', () => {})
  return payload.pipe(stream)
}
