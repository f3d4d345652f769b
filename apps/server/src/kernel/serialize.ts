import fastJson from 'fast-json-stringify'
import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import type { Envelope } from '@oms/contract/kernel/envelope.ts'
import * as z from 'zod'

type Serialize = (envelope: Envelope) => string

/**
 * Writes an answer by the shape its contract declares: columns the contract does not name never leave the server, and
 * a page of rows costs a third of generic JSON.
 */
export function serializerOf({ result }: Endpoint): Serialize {
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
    properties: { code: { type: 'integer' }, msg: { type: 'string' }, data: widened(data) },
    ...(definitions ? { definitions: widened(definitions) } : {}),
  } as Parameters<typeof fastJson>[0]) as Serialize
}

/** fast-json-stringify takes numeric bounds and patterns for validation it does not do; shapes are all it needs. */
function widened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(widened)
  if (schema === null || typeof schema !== 'object') return schema
  const kept = Object.entries(schema).filter(([key]) => !DROPPED.has(key))
  return Object.fromEntries(kept.map(([key, value]) => [key, key === 'properties' ? fields(value) : widened(value)]))
}
/** Here the keys are names of fields: one may well be called `title`. */
const fields = (properties: object) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, widened(schema)]))
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
