import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileStoreSuite } from '#test/file-store-suite.ts'
import S3rver from 's3rver'
import { expect, onTestFinished, test } from 'vitest'
import { S3Bucket } from './s3-bucket.ts'
import { S3PartStore, S3Store } from './s3-store.ts'

fileStoreSuite('a bucket', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'oms-s3rver-'))
  const temporary = join(directory, 'spool')
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    directory: join(directory, 'buckets'),
    silent: true,
    configureBuckets: [{ name: 'oms' }],
  })
  const { port } = await server.run()
  const client = new S3Bucket({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    bucket: 'oms',
    accessKey: 'S3RVER',
    secretKey: 'S3RVER',
    prefix: 'installation/one/',
  })
  return {
    files: new S3Store(client, temporary, 0),
    parts: new S3PartStore(client, temporary, 0),
    leftovers: () => readdir(temporary),
    async close() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
})

test('temporary files of killed processes are deleted, also when the store cannot list unfinished uploads', async () => {
  const spool = await mkdtemp(join(tmpdir(), 'oms-spool-'))
  const server = createServer((_, response) => response.writeHead(501).end())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(async () => {
    server.close()
    await rm(spool, { recursive: true, force: true })
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new S3Bucket({ endpoint, region: 'r', bucket: 'b', accessKey: 'k', secretKey: 's', prefix: '' })
  for (const name of ['killed.part', 'running.part']) await writeFile(join(spool, name), 'bytes')
  await utimes(join(spool, 'killed.part'), new Date(), new Date(Date.now() - 2 * 3_600_000))
  expect(await new S3Store(client, spool, 0).sweep()).toBe(1)
  expect(await readdir(spool)).toEqual(['running.part'])
})

test('1,000 downloads by slow readers from a store that closes each connection do not crash the process', {
  timeout: 120_000,
}, async () => {
  const bytes = Buffer.alloc(256 * 1024, 'x')
  let responses = 0
  const server = createServer((_, response) => {
    // Every tenth response ends before its announced length.
    const isShort = ++responses % 10 === 0
    response.writeHead(200, { 'content-length': bytes.length, connection: 'close' })
    if (!isShort) return response.end(bytes)
    response.write(bytes.subarray(1000), () => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const bucket = new S3Bucket({ endpoint, region: 'r', bucket: 'b', accessKey: 'k', secretKey: 's' })
  const download = async () => {
    let size = 0
    for await (const chunk of await bucket.get('key')) {
      size += (chunk as Buffer).length
      await sleep(size % 4)
    }
    return size
  }
  const outcomes: PromiseSettledResult<number>[] = []
  for (let round = 0; round < 50; round++)
    outcomes.push(...(await Promise.allSettled(Array.from({ length: 20 }, download))))
  const complete = outcomes.filter((each) => each.status === 'fulfilled' && each.value === bytes.length)
  const failed = outcomes.filter(({ status }) => status === 'rejected')
  expect([complete.length, failed.length]).toEqual([900, 100])
})
