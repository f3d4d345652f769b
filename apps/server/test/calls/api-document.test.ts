import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { expect, test, vi } from 'vitest'
import { serveApiDocument, buildOpenApiDocument } from '#core/http/openapi.ts'
import type { Services } from '#core/services.ts'
import { modules } from '#main/modules.ts'

/** Starts a server with only the API document. Records the bodies before they are sent. */
function start() {
  const build = vi.fn<typeof buildOpenApiDocument>(buildOpenApiDocument)
  const bodies: unknown[] = []
  const app = Fastify()
  app.addHook('onSend', async (_request, _reply, payload) => void bodies.push(payload))
  serveApiDocument(app, { config: { apiDocsOpen: true } } as unknown as Services, modules, build)
  return { app, build, bodies }
}
const GZIP = { 'accept-encoding': 'gzip' }

test('the API document is built, serialised and compressed once for all requests', async () => {
  const { app, build, bodies } = start()
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      app.inject({ url: n % 2 === 0 ? '/api/v1/openapi.json' : '/openapi.json', headers: GZIP }),
    ),
  )
  expect(build).toHaveBeenCalledTimes(1)
  // All requests send the same bytes: nothing is copied or compressed for one request.
  expect(new Set(bodies).size).toBe(1)
  expect(bodies[0]).toBeInstanceOf(Buffer)
  expect((bodies[0] as Buffer).length).toBeLessThan(300_000)
  expect(JSON.parse(gunzipSync(answers[0]!.rawPayload).toString())).toHaveProperty('openapi', '3.1.0')
})

test('the API document is sent uncompressed to clients that accept no compression, and as 304 for its ETag', async () => {
  const { app, bodies } = start()
  const first = await app.inject({ url: '/openapi.json' })
  expect(first.json()).toHaveProperty('openapi', '3.1.0')
  expect(first.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'accept-encoding' })
  const { etag } = first.headers
  for (const known of [etag, `W/${etag}`]) {
    const again = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(known) } })
    expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0])
  }
  expect(bodies.filter((body) => body instanceof Buffer)).toHaveLength(1)
})
