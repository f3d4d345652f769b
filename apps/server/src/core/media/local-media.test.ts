import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { expect, inject, test, vi } from 'vitest'
import { LocalMedia } from './local-media.ts'
import { openMedia } from './open-media.ts'

const media = new LocalMedia(mkdtempSync(join(inject('scratch'), 'media-')), 0)

test('an object is created once when different bytes arrive for its key at the same time', async () => {
  for (let round = 0; round < 20; round += 1) {
    const put = (text: string) =>
      media.put(`v/20261123/0a/${round}.ts`, Readable.from([Buffer.from(text)]), { bytes: 3, accepts: () => true })
    const outcomes = await Promise.all(['one', 'two', 'six'].map(put))
    expect(outcomes.toSorted()).toEqual(['created', 'other', 'other'])
    const same = await Promise.all(['one', 'two', 'six'].map(put))
    expect(same.toSorted()).toEqual(['other', 'other', 'same'])
  }
})

test('a video folder that cannot be created counts as full, is logged once, and is retried', async () => {
  const dataDir = mkdtempSync(join(inject('scratch'), 'media-'))
  const mediaDir = join(dataDir, 'file', 'media')
  writeFileSync(join(dataDir, 'file'), 'not a directory')
  const log = pino({ enabled: false })
  const error = vi.spyOn(log, 'error')
  const opened = await openMedia({ dataDir, mediaDir }, log)
  if (opened.kind !== 'local') throw new Error('not a local store')
  expect(opened.hasRoom).toBe(false)
  await opened.measure()
  expect(error).toHaveBeenCalledOnce()
  await expect(opened.check()).rejects.toThrow('ENOTDIR')
  rmSync(join(dataDir, 'file'))
  await expect(opened.check()).resolves.toBeUndefined()
  await opened.measure()
  await opened.measure()
  expect(error).toHaveBeenCalledOnce()
})
