import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '#core/storage/s3-client.ts'
import { S3PartStore } from '#core/storage/s3-parts.ts'
import { S3Store } from '#core/storage/s3-store.ts'
import { describe } from 'vitest'
import { fileStoreSuite } from './file-store-suite.ts'
import { cephInstalled, configuredS3, startCeph } from './real-s3.ts'

const configured = configuredS3()

describe.skipIf(!configured && !cephInstalled())('against a real S3 server', () => {
  fileStoreSuite(configured ? 'the S3 server of the environment' : 'Ceph', async () => {
    const server = configured ? { config: configured, stop: async () => {} } : await startCeph()
    const temporary = await mkdtemp(join(tmpdir(), 'oms-spool-'))
    const client = new S3Client({ prefix: 'installation/一', ...server.config })
    return {
      files: new S3Store(client, temporary, 0),
      parts: new S3PartStore(client, temporary, 0),
      leftovers: () => readdir(temporary),
      async close() {
        for await (const { key } of client.list('')) await client.remove(key)
        await server.stop()
        await rm(temporary, { recursive: true, force: true })
      },
    }
  })
})
