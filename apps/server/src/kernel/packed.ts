import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Below this a packet or two carry it anyway. */
const LEAST = 4096
/** Most of the gain at a fifth of the time the best level takes. */
const LEVEL = 3

/** From here on, counting a text's bytes and writing it costs more than making them once; a shorter one goes out with its head. */
const AS_BYTES = 1024

const pack = promisify(gzip)

/**
 * An answer as it travels: long ones gzipped for callers that take it. Safe although secrets and echoes of input may
 * stand side by side: no other site can make a browser send a call with our header.
 */
export async function packed(request: FastifyRequest, reply: FastifyReply, body: string): Promise<string | Buffer> {
  if (body.length < AS_BYTES) return body
  if (body.length < LEAST || !/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return Buffer.from(body)
  reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding')
  return pack(body, { level: LEVEL })
}
