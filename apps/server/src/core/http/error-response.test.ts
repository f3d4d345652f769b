import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test, vi } from 'vitest'
import { queryTimeouts, sendErrorResponse } from './error-response.ts'
import { readRequestId } from './request-log.ts'

test('a statement that reaches the time limit is refused, logged as an error and counted by operation', () => {
  const error = vi.fn<() => void>()
  const sent = vi.fn<(body: string) => void>()
  const request = { operation: 'GET /list', log: { error }, routeOptions: {}, headers: {} } as unknown as FastifyRequest
  const reply = { raw: {}, request, code: () => reply, header: () => reply, send: sent } as unknown as FastifyReply
  const cause = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  sendErrorResponse(new Error('Failed query: select 1', { cause }), request, reply)
  expect(sent).toHaveBeenCalledWith('{"code":501,"msg":"查询超时，请缩小查询范围","data":null}')
  expect(error).toHaveBeenCalledWith(expect.objectContaining({ operation: 'GET /list' }), 'query timed out')
  expect(queryTimeouts.get('GET /list')).toBe(1)
})

test('the request id of a proxy is kept, and an invalid request id is replaced by a new id', () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  expect(readRequestId({ 'x-request-id': 'a1b2-c3d4.5:6_7' })).toBe('a1b2-c3d4.5:6_7')
  expect(readRequestId({ traceparent: `00-${trace}-00f067aa0ba902b7-01` })).toBe(trace)
  for (const headers of [{}, { 'x-request-id': 'a\nb' }, { 'x-request-id': 'x'.repeat(65) }, { traceparent: '00-x' }])
    expect(readRequestId(headers)).toMatch(/^[\da-f]{16}$/)
})
