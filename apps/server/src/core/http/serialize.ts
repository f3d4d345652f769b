import fastJson from 'fast-json-stringify'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { Envelope } from '@oms/contract/core/envelope.ts'
import * as z from 'zod'

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
