import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Media } from '#core/media/s3-media.ts'
import { S3Bucket } from '#core/storage/s3/s3-bucket.ts'
import { S3PartStore, S3Store } from '#core/storage/s3/s3-store.ts'
import { describe, expect, test } from 'vitest'
import { fileStoreSuite } from '#test/file-store-suite.ts'
import { cephInstalled, configuredS3, startCeph } from '#test/clients/real-s3.ts'

const configured = configuredS3()

const openServer = async () => (configured ? { config: configured, stop: async () => {} } : await startCeph())

describe.skipIf(!configured && !cephInstalled())('against a real S3 server', () => {
  fileStoreSuite(configured ? 'the S3 server of the environment' : 'Ceph', async () => {
    const server = await openServer()
    const temporary = await mkdtemp(join(tmpdir(), 'oms-spool-'))
    const client = new S3Bucket({ prefix: 'installation/一', ...server.config })
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

  test('STORAGE-04 a real S3 server accepts a video only with the signed size, type and key', {
    timeout: 120_000,
  }, async () => {
    const server = await openServer()
    try {
      const media = new S3Media({ prefix: 'videos of/一', ...server.config })
      const object = { bytes: 1000, contentType: 'video/mp2t', seconds: 60, now: Date.now() }
      const url = media.putUrl('v/20261223/ab/1/0/1-00000000.ts', object)
      const put = async (to: string, bytes: number, type = 'video/mp2t') =>
        (await fetch(to, { method: 'PUT', body: new Uint8Array(bytes), headers: { 'content-type': type } })).status
      expect(await put(url, 1001)).toBe(403)
      expect(await put(url, 1000, 'text/html')).toBe(403)
      expect(await put(url.replace('00000000', '00000001'), 1000)).toBe(403)
      expect(await put(url, 1000)).toBe(200)
      expect((await media.peek('v/20261223/ab/1/0/1-00000000.ts', 10))?.size).toBe(1000)
      // Both addresses were signed two minutes ago for one minute.
      const past = Date.now() - 120_000
      expect(await put(media.putUrl('v/20261223/ab/1/0/1-00000000.ts', { ...object, now: past }), 1000)).toBe(403)
      const late = await fetch(media.getUrl('v/20261223/ab/1/0/1-00000000.ts', { seconds: 60, now: past }))
      expect(late.status).toBe(403)
      const read = await fetch(media.getUrl('v/20261223/ab/1/0/1-00000000.ts', { seconds: 60, now: Date.now() }))
      expect((await read.arrayBuffer()).byteLength).toBe(1000)
      expect(await media.removePrefix('v/20261223/', 1000)).toBe(1)
      // The rights of the document permit the removal of many objects with one call.
      await new S3Bucket({ prefix: 'videos of/一', ...server.config }).removeMany(['v/20261223/ab/1/0/absent.ts'])
      expect(await media.peek('v/20261223/ab/1/0/1-00000000.ts', 10)).toBeNull()
    } finally {
      await server.stop()
    }
  })
})
