import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, inject, test } from 'vitest'
import { LocalMedia } from './local-media.ts'

const media = new LocalMedia(mkdtempSync(join(inject('scratch'), 'media-')), 0)

test('creates an object once when different bytes arrive at the same time', async () => {
  for (let round = 0; round < 20; round += 1) {
    const put = (text: string) =>
      media.put(`v/20261123/0a/${round}.ts`, Readable.from([Buffer.from(text)]), { bytes: 3, accepts: () => true })
    const outcomes = await Promise.all(['one', 'two', 'six'].map(put))
    expect(outcomes.toSorted()).toEqual(['created', 'other', 'other'])
    const same = await Promise.all(['one', 'two', 'six'].map(put))
    expect(same.toSorted()).toEqual(['other', 'other', 'same'])
  }
})
