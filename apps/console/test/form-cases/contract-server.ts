import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import * as z from 'zod'
import { ok, refusal } from '#test/browser-harness.tsx'

export type Fields = Record<string, unknown>
/** The response to the input of one request: an envelope, or a promise of an envelope. */
export type Respond = (input: Fields) => unknown

const FILES = import.meta.glob<Fields>(
  ['../../../../packages/contract/src/**/*.ts', '!../../../../packages/contract/src/**/*.test.ts'],
  { eager: true },
)
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'result' in value

/** All calls of the contract. */
const ENDPOINTS = Object.values(FILES)
  .flatMap((file) => Object.values(file))
  .flatMap((contract) => (typeof contract === 'object' && contract !== null ? Object.values(contract) : []))
  .filter(isEndpoint)

/** Values that a field of the contract may accept, the most usual first. */
const CANDIDATES = [
  '样本',
  'sample_1',
  '13800000001',
  '2030-01-01 00:00:00',
  '2030-01-01',
  'a@b.co',
  '/sample',
  'a'.repeat(32),
  'aa:bb:cc',
  '1',
  '',
  1,
  0,
  2,
  50,
  100,
  true,
  false,
  [],
  {},
  null,
]

/** Returns a value that the schema accepts: empty lists, null for nullable fields, all fields of objects. */
export function buildSample(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.ZodType>
    return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, buildSample(field)]))
  }
  if (schema instanceof z.ZodArray)
    return schema.safeParse([]).success ? [] : [buildSample(schema.element as z.ZodType)]
  if (schema instanceof z.ZodNullable) return null
  if (schema instanceof z.ZodEnum) return schema.options[0]
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : undefined
  // A refinement may belong to the optional schema itself.
  const candidates = inner ? [buildSample(inner as z.ZodType), ...CANDIDATES] : CANDIDATES
  return candidates.find((value) => schema.safeParse(value).success)
}

/** Maximum nesting depth of filled lists. Deeper lists are empty. */
const FILLED_DEPTH = 4
let lastId = 100

/** Returns a value that the schema accepts with two different elements in every list. */
export function buildFilledSample(schema: z.ZodType, variant = 0, depth = FILLED_DEPTH): unknown {
  if (schema instanceof z.ZodLazy) return buildFilledSample(schema.unwrap() as z.ZodType, variant, depth)
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.ZodType>
    const valueOf = (name: string, field: z.ZodType) =>
      name === 'id' && field.safeParse(lastId + 1).success ? ++lastId : buildFilledSample(field, variant, depth)
    return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, valueOf(name, field)]))
  }
  if (schema instanceof z.ZodArray) {
    const element = schema.element as z.ZodType
    const rows = depth > 0 ? [0, 1].map((at) => buildFilledSample(element, at, depth - 1)) : []
    return schema.safeParse(rows).success ? rows : buildSample(schema)
  }
  if (schema instanceof z.ZodEnum) return schema.options[variant % schema.options.length]
  if (schema instanceof z.ZodNullable) return buildFilledSample(schema.unwrap() as z.ZodType, variant, depth)
  const accepted = CANDIDATES.filter((value) => schema.safeParse(value).success)
  return accepted.length > 0 ? accepted[variant % accepted.length] : buildSample(schema)
}

/** Returns a record as `read` returns it; its values also pass the validation of `save`. */
export function buildRecordSample(result: z.ZodType, save: Endpoint): Fields {
  const record = buildSample(result) as Fields
  const input = save.input
  const shape = input instanceof z.ZodObject ? (input.shape as Record<string, z.ZodType>) : {}
  const isWrong = ([name, field]: [string, z.ZodType]) => !field.safeParse(record[name] ?? undefined).success
  const mended = Object.entries(shape).filter(isWrong)
  return { ...record, ...Object.fromEntries(mended.map(([name, field]) => [name, buildSample(field)])) }
}

/** Returns the schema of a row of a list response. */
export function findRowSchema(list: z.ZodType): z.ZodType {
  const rows = list instanceof z.ZodObject ? (list.shape as Record<string, z.ZodType>)['list'] : list
  return (rows as z.ZodArray).element as z.ZodType
}

const partsOf = (path: string) => path.split('/')

function inputOf({ path }: Endpoint, { pathname, searchParams }: URL, body: unknown): Fields {
  const actual = partsOf(pathname)
  const named = partsOf(path).flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), actual[at]]] : []))
  return { ...Object.fromEntries(searchParams), ...sentIn(body), ...Object.fromEntries(named) }
}

function sentIn(body: unknown): Fields {
  if (body instanceof FormData) return Object.fromEntries(body)
  if (typeof body !== 'string') return {}
  return body.startsWith('{') ? (JSON.parse(body) as Fields) : Object.fromEntries(new URLSearchParams(body))
}

const isPathOf = (path: string, pathname: string) => {
  const actual = partsOf(pathname)
  const parts = partsOf(path)
  return parts.length === actual.length && parts.every((part, at) => part.startsWith(':') || part === actual[at])
}

/**
 * Responds to every call of the contract with a sample of its result, unless `on` sets another response. Records all
 * requests.
 */
export function createContractServer(
  stub: (fetch: (url: string, init?: RequestInit) => Promise<Response>) => void,
  sample: (schema: z.ZodType) => unknown = buildSample,
) {
  const answers = new Map<string, Respond>()
  const requests: { readonly to: Endpoint; readonly input: Fields; readonly key: string | null }[] = []
  stub(async (address, { method = 'GET', body, headers } = {}) => {
    const url = new URL(address, location.origin)
    // A path without parameters precedes a path with parameters of the same length.
    const [to] = ENDPOINTS.filter((each) => each.method === method && isPathOf(each.path, url.pathname)).toSorted(
      (a, b) => Number(a.path.includes(':')) - Number(b.path.includes(':')),
    )
    if (!to) return envelope(refusal(404, `the contract has no ${method} ${url.pathname}`))
    const input = inputOf(to, url, body)
    requests.push({ to, input, key: new Headers(headers).get('idempotency-key') })
    return envelope((await answers.get(routeOf(to))?.(input)) ?? ok(sample(to.result)))
  })
  return {
    /** Returns the called endpoints. */
    called: () => requests.map(({ to }) => to),
    on: (to: Endpoint, respond: Respond) => void answers.set(routeOf(to), respond),
    inputsOf: (to: Endpoint) => requests.filter((each) => routeOf(each.to) === routeOf(to)).map(({ input }) => input),
    /** Returns the idempotency keys of the requests, in their order. */
    keysOf: (to: Endpoint) => requests.filter((each) => routeOf(each.to) === routeOf(to)).map(({ key }) => key),
  }
}

/** Two entries of the contract may describe one route. */
const routeOf = ({ method, path }: Endpoint) => `${method} ${path}`

const envelope = (body: unknown) =>
  new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
