import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authenticate } from '#core/auth/authenticate.ts'
import type { Services } from '#core/services.ts'
import type { Module } from '#core/http/implement.ts'
import { buildOpenApiDocument } from './openapi.ts'

interface ApiDocument {
  readonly body: Buffer
  readonly compressed: Buffer
  readonly etag: string
}

const ENDPOINT = { method: 'GET', path: '/api/v1/openapi.json', access: 'system:AboutUs:list' } as unknown as Endpoint

/**
 * Serves the API document. The first request builds and compresses the document; all requests send the same bytes,
 * because the document has more than one megabyte.
 */
export function serveApiDocument(
  app: FastifyInstance,
  services: Services,
  modules: readonly Module[],
  build: typeof buildOpenApiDocument = buildOpenApiDocument,
) {
  let document: Promise<ApiDocument> | undefined
  const read = () => (document ??= encode(build(modules)))
  app.get(ENDPOINT.path, async (request, reply) => {
    if (!services.config.apiDocsOpen) await authenticate(services, request, ENDPOINT)
    return send(request, reply, await read())
  })
  if (services.config.apiDocsOpen)
    app.get('/openapi.json', async (request, reply) => send(request, reply, await read()))
}

async function encode(document: object): Promise<ApiDocument> {
  const body = Buffer.from(JSON.stringify(document))
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, compressed: await promisify(gzip)(body), etag }
}

/** Sends the document, or 304 to a client that has the same version. */
function send(request: FastifyRequest, reply: FastifyReply, { body, compressed, etag }: ApiDocument) {
  reply.header('etag', etag).header('vary', 'accept-encoding').header('cache-control', 'private, no-cache')
  const known = request.headers['if-none-match'] ?? ''
  if (known.includes(etag)) return reply.code(304).send()
  reply.type('application/json; charset=utf-8')
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(body)
  return reply.header('content-encoding', 'gzip').send(compressed)
}
