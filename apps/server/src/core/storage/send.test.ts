import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { chunksOf } from '#test/file-store-suite.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LocalStore } from './local/local-store.ts'
import { formatContentDisposition, type SendableFile, sendFile } from './send.ts'

const bytes = randomBytes(1_000_000)
const sha256 = createHash('sha256').update(bytes).digest('hex')
const files: Record<string, SendableFile> = {
  component: { sha256, size: bytes.length, name: '固件 "1".bin', mime: 'application/octet-stream' },
  picture: { sha256, size: bytes.length, name: 'a.png', mime: 'image/png' },
  page: { sha256, size: bytes.length, name: 'a.html', mime: 'text/html' },
  lost: { sha256: '0'.repeat(64), size: 5, name: 'a.bin', mime: 'application/octet-stream' },
}
let app: FastifyInstance
let folder: string
let base: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oms-send-'))
  const store = new LocalStore(folder, 0)
  await store.put(chunksOf(bytes))
  app = Fastify()
  app.get<{ Params: { id: string } }>('/file/:id', (request, reply) =>
    sendFile(request, reply, store, files[request.params.id] as SendableFile),
  )
  base = `${await app.listen({ port: 0, host: '127.0.0.1' })}/file`
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

const get = async (headers: Record<string, string> = {}, method = 'GET', id = 'component') => {
  const response = await fetch(`${base}/${id}`, { headers, method })
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

describe('a download', () => {
  test('a download sends the whole file with headers that keep browsers from running it', async () => {
    const { status, headers, body } = await get()
    expect(status).toBe(200)
    expect(body.equals(bytes)).toBe(true)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-length': '1000000',
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      etag: `"${sha256}"`,
    })
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="__ _1_.bin"; filename*=UTF-8''%E5%9B%BA%E4%BB%B6%20%221%22.bin`,
    )
  })

  test('only images are displayed inline', async () => {
    expect((await get({}, 'HEAD', 'picture')).headers.get('content-disposition')).toMatch(/^inline/)
    expect((await get({}, 'HEAD', 'page')).headers.get('content-disposition')).toMatch(/^attachment/)
  })

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-99', 10, 99],
    ['bytes=999999-', 999_999, 999_999],
    ['bytes=-5', 999_995, 999_999],
    ['bytes=-2000000', 0, 999_999],
    ['bytes=500000-9999999', 500_000, 999_999],
  ])('the range %s returns 206 with the requested bytes', async (range, start, end) => {
    const { status, headers, body } = await get({ range })
    expect(status).toBe(206)
    expect(headers.get('content-range')).toBe(`bytes ${start}-${end}/1000000`)
    expect(headers.get('content-length')).toBe(String(end - start + 1))
    expect(body.equals(bytes.subarray(start, end + 1))).toBe(true)
  })

  test.each(['bytes=1000000-', 'bytes=-0', 'bytes=2000000-3000000'])(
    'the range %s outside the file returns 416',
    async (range) => {
      const { status, headers, body } = await get({ range })
      expect([status, headers.get('content-range'), body.length]).toEqual([416, 'bytes */1000000', 0])
    },
  )

  test.each(['bytes=9-1', 'bytes=a-b', 'items=0-1', 'bytes=-', 'bytes=0-1,5-6'])(
    'the invalid or unsupported range %s returns the whole file',
    async (range) => {
      const { status, body } = await get({ range })
      expect([status, body.length]).toEqual([200, 1_000_000])
    },
  )

  test('a request with the current ETag in If-None-Match returns 304', async () => {
    for (const tag of [`"${sha256}"`, `W/"${sha256}"`, '*', `"x", "${sha256}"`]) {
      const { status, body } = await get({ 'if-none-match': tag })
      expect([status, body.length]).toEqual([304, 0])
    }
    expect((await get({ 'if-none-match': '"x"' })).status).toBe(200)
    expect((await get({ 'if-match': '"x"' })).status).toBe(412)
  })

  test('a resumed download of a changed file returns the whole file', async () => {
    expect((await get({ range: 'bytes=5-', 'if-range': `"${sha256}"` })).status).toBe(206)
    expect((await get({ range: 'bytes=5-', 'if-range': '"other"' })).status).toBe(200)
    expect((await get({ range: 'bytes=5-', 'if-range': 'Wed, 21 Oct 2026 07:28:00 GMT' })).status).toBe(200)
  })

  test('a HEAD request returns length and type without a body', async () => {
    const { status, headers, body } = await get({}, 'HEAD')
    expect([status, headers.get('content-length'), body.length]).toEqual([200, '1000000', 0])
  })

  test('a request for a file with missing bytes returns an error instead of a partial response', async () => {
    expect((await get({}, 'GET', 'lost')).status).toBe(500)
    expect((await get({}, 'HEAD', 'lost')).status).toBe(500)
  })
})

test('a file name cannot inject response headers', () => {
  expect(formatContentDisposition('attachment', 'a"\r\nx: y;.bin')).toBe(
    `attachment; filename="a_x: y;.bin"; filename*=UTF-8''a%22x%3A%20y%3B.bin`,
  )
})
