import { findInputCarrier, type Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FastifyRequest, FastifyInstance } from 'fastify'
import { invalid } from './api-error.ts'
import { FieldProblems } from './field-problems.ts'
import { isUtf8 } from 'node:buffer'
import { parse } from 'node:querystring'
import formbody from '@fastify/formbody'

const MAX_DEPTH = 32
const MAX_ITEMS = 200_000
const POISON = new Set(['__proto__', 'constructor', 'prototype'])

/** Returns the input of a call: query or body merged with path parameters, parsed by the contract's schema. */
export function parseInput(endpoint: Endpoint, request: FastifyRequest): unknown {
  const raw =
    endpoint.body === 'binary' || endpoint.body === 'multipart' ? request.query : request[findInputCarrier(endpoint)]
  if (raw !== undefined && raw !== null && (typeof raw !== 'object' || Array.isArray(raw)))
    throw invalid('请求内容格式不正确')
  assertSafeStructure(raw)
  const given = { ...(raw as object | undefined), ...(request.params as object) }
  const result = endpoint.input.safeParse(given)
  if (result.success) {
    assertStorable(result.data, [])
    return result.data
  }
  throw describeIssues(result.error.issues)
}

/** Returns the error that names the problems of all fields. A problem of the whole input is reported alone. */
function describeIssues(issues: readonly { readonly message: string; readonly path: readonly PropertyKey[] }[]) {
  const problems = new FieldProblems()
  const first = issues[0]!
  if (first.path.length === 0) return invalid(first.message)
  for (const { message, path } of issues) if (path.length > 0) problems.add(path.map(String).join('.'), message)
  return problems.toError() ?? invalid(first.message)
}

/**
 * Refuses texts that PostgreSQL cannot store, at their field: NUL, and surrogates without their partner. The schemas of
 * most fields refuse these texts themselves; this check covers all other schemas.
 */
function assertStorable(value: unknown, path: readonly (string | number)[]) {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0')) throw invalid('内容含有不支持的字符', path.join('.'))
  } else if (Array.isArray(value)) value.forEach((each, at) => assertStorable(each, [...path, at]))
  else if (value !== null && typeof value === 'object')
    for (const [key, each] of Object.entries(value)) assertStorable(each, [...path, key])
}

/** Refuses property names that reach prototypes, and nesting deeper than any form uses. */
function assertSafeStructure(value: unknown, depth = 0, seen = { items: 0 }) {
  if (value === null || typeof value !== 'object') return
  if (depth > MAX_DEPTH) throw invalid('请求内容嵌套过深')
  for (const key of Object.keys(value)) {
    seen.items += 1
    if (seen.items > MAX_ITEMS) throw invalid('请求内容过多')
    if (POISON.has(key)) throw invalid('请求内容含有不允许的字段名')
    assertSafeStructure((value as Record<string, unknown>)[key], depth + 1, seen)
  }
}

const REFUSAL = '请求内容的编码不正确，应为UTF-8'
const REPLACEMENT = '\uFFFD'

/** Parses JSON and form bodies. Refuses bodies that are not valid UTF-8, because their text would be changed silently. */
export function parseBodies(app: FastifyInstance, bodyLimit: number) {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    if (isUtf8(bytes)) void parseJson(request, bytes.toString(), done)
    else done(invalid(REFUSAL))
  })
  app.register(formbody, { bodyLimit, parser: parseForm })
}

function parseForm(body: string) {
  if (body.includes(REPLACEMENT) || !isDecodable(body)) throw invalid(REFUSAL)
  return { ...parse(body, '&', '=', { maxKeys: 0 }) }
}

/** Returns false when the escapes of a form are incomplete or not UTF-8. */
function isDecodable(text: string) {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
