import { findInputCarrier, type Endpoint } from '@oms/contract/core/endpoint.ts'
import * as z from 'zod'

/** An invalid request that a client could send. */
export interface HostileInput {
  readonly url: string
  readonly payload?: string
  readonly headers: Record<string, string>
}

const LONG = 'x'.repeat(20_000)
/** Values that commonly break servers: types, sizes, encodings, SQL, scripts, prototypes. */
const VALUES: readonly unknown[] = [
  '',
  ' ',
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  // oxlint-disable-next-line no-loss-of-precision -- beyond what a number can hold, on purpose
  9_007_199_254_740_993,
  2_147_483_648,
  '2147483648',
  '-0',
  'NaN',
  '9999-12-31 23:59:59',
  '9999-12-31',
  'Infinity',
  '0x10',
  '1e3',
  [],
  [null],
  [[]],
  [1, 'a', {}],
  {},
  { toString: 1 },
  { $gt: '' },
  { length: -1 },
  LONG,
  '😀'.repeat(200),
  '\u0000',
  'a\u0000b',
  '\ud800',
  '‮abc',
  "' or 1=1 --",
  "'; drop table accounts; --",
  '" or ""="',
  '%',
  '_',
  '\\',
  '%00',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '${7*7}',
  '{{7*7}}',
  '../../etc/passwd',
  '..\\..\\windows',
  '/etc/passwd',
  'file:///etc/passwd',
  'http://127.0.0.1/',
  '2024-02-30 25:61:61',
  '9999-99-99',
  '0000-00-00',
  '1,2,3',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'asc; select 1',
  'id desc',
  '((((',
  '*'.repeat(500),
  '\r\nset-cookie: a=b',
  Array.from({ length: 1500 }, (_, index) => index),
  '١٢٣',
  '１２３',
  'İ',
  '\u202e',
  '1;1',
]
const RAW_BODIES = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '1',
  'true',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`,
  '{"a":1,"a":2}',
  '\ufeff{}',
  '{"\\u0000":1}',
]

/** Number of calls that share the invalid bodies. The parser that refuses them is the same for all calls. */
const BODY_TURNS = 4

/**
 * Returns at least 70 invalid inputs of one call: each value in one field, a part of the invalid bodies, invalid paths.
 * The fields take turns from the field `turn.field`, and `turn.body` chooses the part of the bodies. The number of
 * inputs does not grow with the fields.
 */
export function hostileInputs(endpoint: Endpoint, turn: { field: number; body: number }): HostileInput[] {
  const schema = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' }) as { properties?: object }
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
  const fields = [...new Set([...Object.keys(schema.properties ?? {}), ...inPath, 'pageNum', 'id'])]
  const make = findInputCarrier(endpoint) === 'query' ? inQuery : inBody
  const inputs = VALUES.map((value, index) =>
    make(endpoint, inPath, fields[(index + turn.field) % fields.length]!, value),
  )
  return [...inputs, ...brokenRequests(endpoint, inPath, turn.body)]
}

const filled = (path: string, name?: string, value?: string) =>
  path.replaceAll(/:(\w+)/g, (_, key: string) =>
    key === name && value ? encodeURIComponent(value.toWellFormed()).slice(0, 300) : '1',
  )

function inQuery({ path }: Endpoint, inPath: string[], field: string, value: unknown): HostileInput {
  if (inPath.includes(field)) return { url: filled(path, field, asText(value)), headers: {} }
  const query = [value]
    .flat()
    .slice(0, 50)
    .map((item) => `${field}=${encodeURIComponent(asText(item).slice(0, 3000).toWellFormed())}`)
  return { url: `${filled(path)}?${query.join('&')}`, headers: {} }
}

function inBody({ path }: Endpoint, inPath: string[], field: string, value: unknown): HostileInput {
  const headers = { 'content-type': 'application/json' }
  if (inPath.includes(field)) return { url: filled(path, field, asText(value)), payload: '{}', headers }
  return { url: filled(path), payload: JSON.stringify({ [field]: value }), headers }
}

function brokenRequests({ path, method }: Endpoint, inPath: string[], turn: number): HostileInput[] {
  const odd = ['?a[]=1&a[b]=2', '?__proto__[x]=1', '?%', '?a=%E0%A4%A', `?a=${'&a='.repeat(2000)}`].map((tail) => ({
    url: filled(path) + tail,
    headers: {},
  }))
  if (method === 'GET') return odd
  const json = RAW_BODIES.map((payload) => ({
    url: filled(path),
    payload,
    headers: { 'content-type': 'application/json' },
  }))
  const form = RAW_BODIES.map((payload) => ({
    url: filled(path),
    payload,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }))
  const type = ['text/plain', 'application/xml', 'multipart/form-data', 'x/y; charset=utf-7'].map((kind) => ({
    url: filled(path),
    payload: '{}',
    headers: { 'content-type': kind },
  }))
  return [
    ...odd,
    ...[...json, ...form, ...type].filter((_, index) => (index + turn) % BODY_TURNS === 0),
    ...(inPath.length ? [{ url: filled(path, inPath[0], '%2e%2e'), headers: {} }] : []),
  ]
}

const asText = (value: unknown) => (value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value))
