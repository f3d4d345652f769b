import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DiskRead } from './disk-read.ts'

const BYTES = randomBytes(3_000_001)
let folder: string
let path: string
const server = createServer(async (request, response) => {
  const [start = 0, end = 0] = (request.url ?? '').slice(1).split('-').map(Number)
  const source = new DiskRead(await open(path), { start, end })
  source.once('error', () => response.destroy())
  response.once('close', () => source.destroy())
  response.setHeader('content-length', end - start + 1)
  source.pipe(response)
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oms-disk-'))
  path = join(folder, 'file')
  await writeFile(path, BYTES)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  await new Promise((done) => server.close(done).closeAllConnections())
  await rm(folder, { recursive: true })
})

const url = (range: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${range}`
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('concurrent ranges that share buffers are sent completely, also when some clients disconnect', async () => {
  const ask = async (at: number) => {
    const start = (at * 37_777) % 1_000_000
    const end = start + 1 + ((at * 131_071) % 1_900_000)
    const reply = await fetch(url(`${start}-${end}`))
    const body = Buffer.from(await reply.arrayBuffer())
    expect(digest(body)).toBe(digest(BYTES.subarray(start, end + 1)))
  }
  const hangUp = () =>
    new Promise<void>((done) => {
      const request = get(url('0-3000000'), (reply) => reply.once('data', () => request.destroy()).once('close', done))
      request.once('error', () => done())
    })
  for (let round = 0; round < 4; round++)
    await Promise.all([...Array.from({ length: 20 }, (_, at) => ask(round * 20 + at)), hangUp(), hangUp()])
})

test('the response is aborted when the file is shorter than the requested range', async () => {
  const reply = await fetch(url('2999990-3000020'))
  await expect(reply.arrayBuffer()).rejects.toThrow()
})

test('chunks that were read from the stream do not change later', async () => {
  const chunks: Buffer[] = []
  for await (const chunk of new DiskRead(await open(path))) chunks.push(chunk as Buffer)
  expect(digest(Buffer.concat(chunks))).toBe(digest(BYTES))
  await truncate(path, 0)
  await expect(new DiskRead(await open(path)).toArray()).resolves.toEqual([])
})
