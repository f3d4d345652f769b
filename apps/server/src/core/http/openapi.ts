import { findInputCarrier, type Endpoint } from '@oms/contract/core/endpoint.ts'
import * as z from 'zod'
import type { Module } from '#core/http/implement.ts'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authenticate } from '#core/auth/authenticate.ts'
import type { Services } from '#core/services.ts'

type Json = Record<string, unknown>

/** Returns the OpenAPI 3.1 document of all calls, generated from the contracts. */
export function buildOpenApiDocument(modules: readonly Module[]) {
  const paths: Record<string, Json> = {}
  for (const { contract } of modules)
    for (const [name, endpoint] of Object.entries(contract)) {
      const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationObject(name, endpoint) }
    }
  return {
    openapi: '3.1.0',
    info: {
      title: '运营管理系统 OMS',
      version: '1',
      description: 'Outcome in `code` of the body; see docs/reference/api.md.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        ticket: { type: 'apiKey', in: 'header', name: 'ticket' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

function operationObject(name: string, endpoint: Endpoint): Json {
  const { access, path, method, title, summary } = endpoint
  const input = schemaOf(endpoint.input, 'input')
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, key]) => key as string)
  const rest = Object.entries((input.properties ?? {}) as Json).filter(([key]) => !inPath.includes(key))
  const required = new Set((input.required ?? []) as string[])
  const inQuery = findInputCarrier(endpoint) === 'query' || endpoint.body === 'multipart' || endpoint.body === 'binary'
  const parameter =
    (where: string) =>
    ([key, schema]: [string, unknown]) => ({
      name: key,
      in: where,
      required: where === 'path' || required.has(key),
      schema,
    })
  const properties = (input.properties ?? {}) as Json
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^a-zA-Z0-9]+(.)?/g, (_, letter?: string) => letter?.toUpperCase() ?? '')}`,
    tags: [path.split('/')[3]],
    summary: summary ?? title ?? name,
    security: access === 'public' ? [] : [{ ticket: [] }, { bearer: [] }],
    'x-permission': access.includes(':') ? access : null,
    parameters: [
      ...inPath.map((key) => parameter('path')([key, properties[key] ?? { type: 'string' }])),
      ...(inQuery ? rest.map(parameter('query')) : []),
    ],
    ...bodyOf(endpoint, rest, required, inQuery),
    responses: responsesOf(endpoint),
  }
}

function bodyOf(endpoint: Endpoint, rest: [string, unknown][], required: Set<string>, inQuery: boolean): Json {
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  if (endpoint.body === 'binary')
    return { requestBody: { required: true, content: { 'application/octet-stream': { schema: file } } } }
  if (endpoint.body === 'multipart') {
    const schema = { type: 'object', properties: { file }, required: ['file'] }
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
  }
  if (inQuery) return {}
  const needed = rest.flatMap(([key]) => (required.has(key) ? [key] : []))
  const schema = { type: 'object', properties: Object.fromEntries(rest), ...(needed.length && { required: needed }) }
  const content = { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } }
  return { requestBody: { required: needed.length > 0, content } }
}

function responsesOf(endpoint: Endpoint): Json {
  if (endpoint.stream)
    return {
      200: {
        description: 'stream',
        content: { [endpoint.stream === 'events' ? 'text/event-stream' : 'application/octet-stream']: {} },
      },
    }
  const schema = {
    type: 'object',
    properties: { code: { type: 'integer' }, msg: { type: 'string' }, data: schemaOf(endpoint.result, 'output') },
    required: ['code', 'msg', 'data'],
  }
  return {
    200: {
      description: 'code 200: done; 400, 401, 403, 501: refused, see msg',
      content: { 'application/json': { schema } },
    },
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    cycles: 'ref',
  }) as Json
  return json
}

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
