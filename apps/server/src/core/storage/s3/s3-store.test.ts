import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileStoreSuite } from '#test/file-store-suite.ts'
import S3rver from 's3rver'
import { S3Client } from './s3-client.ts'
import { S3PartStore } from './s3-parts.ts'
import { S3Store } from './s3-store.ts'

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
  const client = new S3Client({
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
