import { mkdirSync, mkdtempSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, inject, test } from 'vitest'
import { useApp } from './harness.ts'
import { isExpected, readGuide, runBlock, stepsOf } from './device-guide.ts'
import { playbackFixture } from '#modules/playback/playback-fixture.ts'

/** Values of the guide that differ on every installation. */
const ADDRESS = 'http://127.0.0.1:8080'
const KEY = 'paste-the-key'
const SECRET = 'paste-the-secret'

const app = useApp()
const fixture = playbackFixture(app)
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

test('STORAGE-08 the commands of the guide for Apps print what the guide shows', async () => {
  const folder = mkdtempSync(join(inject('scratch'), 'playback-'))
  mkdirSync(folder, { recursive: true })
  const filled = (text: string) =>
    text.replaceAll(ADDRESS, url).replaceAll(KEY, key.keyId).replaceAll(SECRET, key.secret)
  const steps = stepsOf(readGuide('play-recordings.md'))
  expect(steps.length).toBeGreaterThan(4)
  for (const step of steps) {
    if (step.kind !== 'shell') throw new Error('the guide has no forms')
    const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LC_ALL: 'C', TZ: 'Asia/Shanghai' }
    const { output, status } = await runBlock({ folder, env }, { ...step, command: filled(step.command) })
    expect(status, `${step.command}\n${output}`).toBe(0)
    const wanted = step.expected ?? ''
    if (!isPrinted(output, wanted)) expect(output, step.command).toBe(wanted)
  }
})

/** True when the output is what the guide shows; a line with `…` alone stands for any lines. */
function isPrinted(output: string, wanted: string) {
  const [head = '', tail] = wanted.split('\n…\n')
  if (tail === undefined) return isExpected(output, wanted)
  const lines = output.trimEnd().split('\n')
  const first = head.split('\n').length
  const last = tail.split('\n').length
  return isExpected(lines.slice(0, first).join('\n'), head) && isExpected(lines.slice(-last).join('\n'), tail)
}
