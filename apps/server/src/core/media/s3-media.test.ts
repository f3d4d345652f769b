import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { S3Media } from './s3-media.ts'

test('the size of a video is read without its bytes', async () => {
  const calls: string[] = []
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.headers.range ?? ''}`)
    if (request.url?.includes('absent')) return response.writeHead(404).end()
    return response.writeHead(200, { 'content-length': '5000' }).end(Buffer.alloc(request.method === 'HEAD' ? 0 : 5000))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const media = new S3Media({ endpoint, region: 'r', bucket: 'b', accessKey: 'k', secretKey: 's' })
  expect(await media.peek('v/one.ts', 0)).toEqual({ size: 5000, head: Buffer.alloc(0) })
  expect(await media.peek('v/absent.ts', 0)).toBeNull()
  expect(calls).toEqual(['HEAD ', 'HEAD '])
})
