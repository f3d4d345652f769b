import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { usePlayback } from '#test/fixtures/playback-fixture.ts'
import { followGuide } from './follow-guide.ts'
import { useApp } from '#test/harness.ts'

/** Values of the guide that differ on every installation. */
const ADDRESS = 'http://127.0.0.1:8080'
const KEY = 'paste-the-key'
const SECRET = 'paste-the-secret'

const app = useApp()
const fixture = usePlayback(app)
let url: string
let key: Awaited<ReturnType<typeof fixture.addKey>>

beforeAll(async () => {
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
  key = await fixture.addKey(await app.by({ superAdmin: true }))
  const camera = await fixture.addCamera(1, await fixture.addAccount(1, 'wang'))
  await app.db.execute(sql`update devices set sn = 'CAM-0001' where id = ${camera.id}`)
  await fixture.record(camera, { from: Date.now() - 12_000, count: 3 })
})

test('STORAGE-08 the commands in the guide for Apps print the output shown in the guide', async () => {
  const filled = (text: string) =>
    text.replaceAll(ADDRESS, url).replaceAll(KEY, key.keyId).replaceAll(SECRET, key.secret)
  expect(await followGuide('play-recordings.md', filled)).toBeGreaterThan(4)
})
