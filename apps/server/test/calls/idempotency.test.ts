import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { Contract, Endpoint } from '@oms/contract/core/endpoint.ts'
import { sql } from 'drizzle-orm'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { sendErrorResponse } from '#core/http/error-response.ts'
import type { Ctx } from '#core/http/context.ts'
import { decorateClientAddress } from '#core/http/forwarded.ts'
import { claimKey, readIdempotentCall, storeResponse } from '#core/http/idempotency.ts'
import type { Module } from '#core/http/implement.ts'
import { mountModule } from '#core/http/mount.ts'
import { logRequests } from '#core/http/request-log.ts'
import { modules } from '#main/modules.ts'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
const isWrite = ({ method, access, stream, revealsSecret }: Endpoint) =>
  method !== 'GET' && access !== 'public' && !stream && !revealsSecret
const writes = modules.flatMap(({ contract }) => Object.values(contract)).filter(isWrite)

/** Mounts every mutation of the contract with a handler that only counts its runs. */
let app: FastifyInstance
let boss: Caller
let runs = 0
beforeAll(async () => {
  boss = await server.by({ superAdmin: true })
  app = Fastify() as unknown as FastifyInstance
  app.register(cookie)
  app.register(formbody)
  app.register(multipart)
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  app.setErrorHandler((error, request, reply) => sendErrorResponse(error, request, reply))
  decorateClientAddress(app, false)
  logRequests(app)
  app.register(async (scope) => {
    for (const module of modules) mountModule(scope, server.services, withCountingHandlers(module))
  })
  await app.ready()
})
afterAll(() => app?.close())

const anything = { input: z.any(), result: z.any(), perMinute: 100_000 }

function withCountingHandlers({ contract, outsideTransaction, limits }: Module): Module {
  const entries = Object.entries(contract).filter(([, endpoint]) => isWrite(endpoint))
  const handler = async ({ incoming }: Ctx) => {
    for await (const _ of incoming?.stream ?? []);
    return { run: ++runs }
  }
  return {
    contract: Object.fromEntries(entries.map(([name, endpoint]) => [name, { ...endpoint, ...anything }])) as Contract,
    handlers: Object.fromEntries(entries.map(([name]) => [name, handler])) as unknown as Module['handlers'],
    outsideTransaction,
    limits,
  }
}

async function send({ method, path, body }: Endpoint, key: string, content: string) {
  const url = `${path.replaceAll(/:\w+/g, '1')}${method === 'DELETE' || body === 'binary' ? `?a=${content}` : ''}`
  const headers = { ticket: boss.ticket as string, 'idempotency-key': key }
  const reply = await app.inject({
    method,
    url,
    ...payloadOf(body, content),
    headers: { ...headers, ...payloadOf(body, content).headers },
  })
  return reply.json() as { code: number; data: { run: number } }
}

function payloadOf(body: Endpoint['body'], content: string) {
  if (body === 'binary') return { payload: content, headers: { 'content-type': 'application/octet-stream' } }
  if (body !== 'multipart')
    return { payload: JSON.stringify({ a: content }), headers: { 'content-type': 'application/json' } }
  const head =
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
  return {
    payload: `${head}${content}\r\n--edge--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
  }
}

test.each(writes)(
  '$method $path runs once per idempotency key, and a repeated call returns the same response',
  async (endpoint) => {
    const key = `key-of ${endpoint.method} ${endpoint.path}`.replaceAll(' ', '-')
    const before = runs
    const first = await send(endpoint, key, 'one')
    expect(first).toMatchObject({ code: 200, data: { run: before + 1 } })
    expect(await send(endpoint, key, 'one')).toEqual(first)
    expect(runs).toBe(before + 1)
    expect(await send(endpoint, key, 'two')).toMatchObject({ code: 400 })
    expect(runs).toBe(before + 1)
  },
)

test('two concurrent calls with the same idempotency key run once', async () => {
  const imports = writes.filter(({ body }) => body === 'multipart')
  const before = runs
  for (const [at, endpoint] of imports.entries()) {
    const both = await Promise.all([0, 1].map(() => send(endpoint, `at-once-${at}`, 'same')))
    expect(both[1]).toEqual(both[0])
  }
  expect(runs).toBe(before + imports.length)
})

test('only downloads, event streams and calls that reveal a secret accept no idempotency key', () => {
  const others = modules
    .flatMap(({ contract }) => Object.values(contract))
    .filter(({ method, access }) => method !== 'GET' && access !== 'public')
  expect(
    others.filter((endpoint) => !isWrite(endpoint)).every(({ stream, revealsSecret }) => stream || revealsSecret),
  ).toBe(true)
})

test('a repeated call that reveals a secret runs and is logged each time', async () => {
  const reveal = async () => {
    const url = '/api/v1/agent/params/reveal'
    const headers = { 'idempotency-key': 'key-of-a-secret' }
    const reply = await boss.inject({
      method: 'POST',
      url,
      headers,
      payload: { code: 'server.secret', reason: '核对' },
    })
    return reply.json() as { code: number; data: { value: string } }
  }
  const entries = async () =>
    (
      await server.db.execute<{ n: number }>(
        sql`select count(*)::int as n from oper_logs where oper_url like '%/agent/params/reveal'`,
      )
    ).rows[0]!.n
  const before = await entries()
  const first = await reveal()
  expect(first.code).toBe(200)
  expect(await reveal()).toEqual(first)
  expect(await entries()).toBe(before + 2)
})

describe('an idempotency key of an earlier call', () => {
  const secretKey = Buffer.alloc(32, 1)
  const call = (key: string, tenants: 'all' | number[], tenantId = 1) =>
    readIdempotentCall(
      { user: { uid: boss.uid, tenantId, scope: { tenants, ownOnly: false } }, key, secretKey },
      { method: 'POST', path: '/api/v1/device/group', input: { groupName: 'x' } },
    )!
  const answered = async (key: string, tenants: 'all' | number[]) => {
    const first = call(key, tenants)
    expect(await claimKey(server.db, first)).toBeUndefined()
    await storeResponse(server.db, first, { envelope: { code: 200, msg: 'ok', data: 1 }, scope: first.scope })
  }

  test('an idempotency key is refused in another tenant', async () => {
    await answered('in-a-tenant', 'all')
    await expect(claimKey(server.db, call('in-a-tenant', 'all', 13))).rejects.toThrow('不能用于不同的请求')
  })

  test('an idempotency key is refused when the data scope of the account lost a tenant, and valid when it got one', async () => {
    await answered('with-all-tenants', 'all')
    await expect(claimKey(server.db, call('with-all-tenants', [7]))).rejects.toThrow('数据范围已变化')
    await answered('with-two-tenants', [7, 8])
    await expect(claimKey(server.db, call('with-two-tenants', [7]))).rejects.toThrow('数据范围已变化')
    expect(await claimKey(server.db, call('with-two-tenants', [7, 8, 9]))).toMatchObject({ envelope: { data: 1 } })
  })
})
