import { carrier, type Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import { invalid } from './api-error.ts'

const MAX_DEPTH = 32
const MAX_ITEMS = 200_000
const POISON = new Set(['__proto__', 'constructor', 'prototype'])

/** Returns the input of a call: query or body merged with path parameters, parsed by the contract's schema. */
export function parseInput(endpoint: Endpoint, request: FastifyRequest): unknown {
  const raw = endpoint.body === 'binary' || endpoint.body === 'multipart' ? request.query : request[carrier(endpoint)]
  if (raw !== undefined && raw !== null && (typeof raw !== 'object' || Array.isArray(raw)))
    throw invalid('请求内容格式不正确')
  assertSafeStructure(raw)
  const given = { ...(raw as object | undefined), ...(request.params as object) }
  const result = endpoint.input.safeParse(given)
  if (result.success) return result.data
  const { message, path } = result.error.issues[0] as { message: string; path: PropertyKey[] }
  throw invalid(message, path.map(String).join('.'))
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
