import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Smallest response in bytes that is compressed. Smaller responses fit one or two packets anyway. */
const LEAST = 4096
/** gzip level: most of the compression at a fifth of the time of the best level. */
const LEVEL = 3

/** Length from which a text is converted to bytes once. Shorter texts are sent as text together with the headers. */
const AS_BYTES = 1024

/**
 * Length up to which a response is compressed at once: less than half a millisecond. Handing it to another thread
 * would cost more processor time than the compression.
 */
const MAX_SYNCHRONOUS_BYTES = 32 * 1024

const pack = promisify(gzip)

/**
 * Compresses long responses for clients that accept gzip. Compression is safe next to secrets and echoed input: other
 * sites cannot make a browser send a call with our header.
 */
export async function compressResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
): Promise<string | Buffer> {
  if (body.length < AS_BYTES) return body
  if (body.length < LEAST || !/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return Buffer.from(body)
  reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding')
  return body.length <= MAX_SYNCHRONOUS_BYTES ? gzipSync(body, { level: LEVEL }) : pack(body, { level: LEVEL })
}
