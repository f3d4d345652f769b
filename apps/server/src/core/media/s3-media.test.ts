import { createServer, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { S3Media } from './s3-media.ts'

/** Opens a store whose server responds with this function. */
async function openStore(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return new S3Media({ endpoint, region: 'r', bucket: 'b', accessKey: 'k', secretKey: 's', prefix: 'a&b' })
}

test('the size of a video is read without reading its bytes', async () => {
  const calls: string[] = []
  const media = await openStore((request, response) => {
    calls.push(`${request.method} ${request.headers.range ?? ''}`)
    if (request.url?.includes('absent')) return response.writeHead(404).end()
    return response.writeHead(200, { 'content-length': '5000' }).end(Buffer.alloc(request.method === 'HEAD' ? 0 : 5000))
  })
  expect(await media.peek('v/one.ts', 0)).toEqual({ size: 5000, head: Buffer.alloc(0) })
  expect(await media.peek('v/absent.ts', 0)).toBeNull()
  expect(calls).toEqual(['HEAD ', 'HEAD '])
})

const KEYS = Array.from({ length: 1001 }, (_, at) => `v/20261223/ab/1/0/${at}-00000000.ts`)

test('videos are deleted in calls of 1,000, and an object that the store does not delete is an error', async () => {
  const calls: string[][] = []
  let answer = '<DeleteResult/>'
  const media = await openStore(async (request, response) => {
    const keys = [...(await text(request)).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!)
    calls.push(keys)
    response.writeHead(request.method === 'POST' && /^\/b\/?\?delete/.test(request.url ?? '') ? 200 : 400).end(answer)
  })
  await media.remove(KEYS)
  expect(calls.map(({ length }) => length)).toEqual([1000, 1])
  expect(calls[1]).toEqual(['a&amp;b/v/20261223/ab/1/0/1000-00000000.ts'])
  answer = '<DeleteResult><Error><Key>k</Key><Code>NoSuchKey</Code></Error></DeleteResult>'
  await media.remove(KEYS.slice(0, 1))
  answer = '<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code></Error></DeleteResult>'
  await expect(media.remove(KEYS.slice(0, 1))).rejects.toThrow('AccessDenied')
})

test.each([
  [501, 'NotImplemented'],
  [405, 'MethodNotAllowed'],
  [403, 'AccessDenied'],
])('videos are deleted one by one when the store answers DeleteObjects with %i %s', async (status, code) => {
  const removed: (string | undefined)[] = []
  const media = await openStore((request, response) => {
    if (request.method === 'POST') return response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
    removed.push(request.url)
    return response.writeHead(204).end()
  })
  await media.remove(KEYS.slice(0, 9))
  expect(removed).toHaveLength(9)
})

test('a deletion in an unavailable store fails within seconds, because a camera waits for the response', async () => {
  const media = await openStore((_, response) => response.writeHead(503).end())
  const begin = performance.now()
  await expect(media.remove(KEYS.slice(0, 1))).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } })
  expect(performance.now() - begin).toBeLessThan(15_000)
}, 60_000)
