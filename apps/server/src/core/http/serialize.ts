import fastJson from 'fast-json-stringify'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { Envelope } from '@oms/contract/core/envelope.ts'
import * as z from 'zod'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Serialize = (envelope: Envelope) => string

/**
 * Creates the serialiser of a call from its result schema. Fields missing in the contract are never sent, and a page of
 * rows costs a third of `JSON.stringify`.
 */
export function createSerializer({ result }: Endpoint): Serialize {
  let compiled: Serialize | undefined
  return (envelope) => {
    compiled ??= compile(result)
    return compiled(envelope)
  }
}

function compile(result: z.ZodType): Serialize {
  const { definitions, ...data } = z.toJSONSchema(result, {
    target: 'openapi-3.0',
    io: 'output',
    unrepresentable: 'any',
  })
  return fastJson({
    type: 'object',
    properties: { code: { type: 'integer' }, msg: { type: 'string' }, data: withoutBounds(data) },
    ...(definitions ? { definitions: withoutBounds(definitions) } : {}),
  } as Parameters<typeof fastJson>[0]) as Serialize
}

/** Removes numeric bounds and patterns from a schema: fast-json-stringify needs only shapes. */
function withoutBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutBounds)
  if (schema === null || typeof schema !== 'object') return schema
  const kept = Object.entries(schema).filter(([key]) => !DROPPED.has(key))
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'properties' ? fields(value) : withoutBounds(value)]),
  )
}
/** Converts `properties`, whose keys are field names: a field may have the name `title`. */
const fields = (properties: object) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, withoutBounds(schema)]))
const DROPPED = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'enum',
  'title',
  'labels',
])

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
