import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Below this a packet or two carry it anyway. */
const LEAST = 4096
/** Most of the gain at a fifth of the time the best level takes. */
const LEVEL = 3

const pack = promisify(gzip)

/**
 * An answer as it travels: long ones gzipped for callers that take it. Safe although secrets and echoes of input may
 * stand side by side: no other site can make a browser send a call with our header.
 */
export async function packed(request: FastifyRequest, reply: FastifyReply, body: string): Promise<string | Buffer> {
  if (body.length < LEAST || !/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return body
  reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding')
  return pack(body, { level: LEVEL })
}
