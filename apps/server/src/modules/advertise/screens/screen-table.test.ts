import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { InMemoryScreenTable, computeScreenState } from './screen-table.ts'
import { AD_TYPE, type ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'

const TOKEN = 'token-of-a-player'
const TOKEN_HASH = hash('sha256', TOKEN)

test('a device keeps its token when it becomes a screen or stops being one, and when the table grows', () => {
  const table = new InMemoryScreenTable()
  table.reserve(2)
  table.setToken(1, TOKEN_HASH)
  for (const exists of [true, false, true]) {
    table.setScreen(1, exists)
    expect([table.hasScreen(1), table.hasScreen(0), table.hasToken(1, TOKEN)]).toEqual([exists, false, true])
  }
  table.reserve(1000)
  expect([table.hasScreen(1), table.hasToken(1, TOKEN), table.hasToken(0, TOKEN)]).toEqual([true, true, false])
})

test('removing the token of a screen frees the token row, and the device stays a screen', () => {
  const table = new InMemoryScreenTable()
  table.reserve(3)
  table.setScreen(0, true)
  table.setToken(0, TOKEN_HASH)
  table.setToken(0, '')
  expect([table.hasScreen(0), table.hasToken(0, TOKEN)]).toEqual([true, false])
  table.setToken(2, TOKEN_HASH)
  expect([table.hasToken(2, TOKEN), table.hasToken(0, TOKEN), table.hasScreen(2)]).toEqual([true, false, false])
})

test('a screen uses eight bytes in addition to its token', () => {
  const table = new InMemoryScreenTable()
  table.reserve(1000)
  expect(table.bytes).toBe(8000)
})

const file = { materialId: 1, sha256: 'a', size: 1, mime: 'audio/flac', width: 0, height: 0, codec: 'flac', chunks: [] }
const ad = (id: number, files: ManifestAd['files']) => ({ id, type: AD_TYPE.audio, files }) as unknown as ManifestAd
const screen = { width: 1920, height: 1080, codecs: ['avc1'], failed: [{ sha256: '' }] }

test('AD-12 a screen skips an ad whose codec it did not report, but tries codecs that no player reports', () => {
  const ads = [ad(1, [file]), ad(2, [{ ...file, codec: 'mp3' }])]
  expect(computeScreenState({ ads }, screen)).toMatchObject({ codecsUnsupported: [2] })
})

test('AD-12 a failed file without a hash does not exclude an ad, and a failed file with a hash does', () => {
  const state = computeScreenState({ ads: [ad(1, [file]), ad(2, [])] }, screen)
  expect(state).toEqual({ filesNotReady: [], codecsUnsupported: [2] })
  const failed = [{ sha256: 'a' }]
  expect(computeScreenState({ ads: [ad(1, [file])] }, { ...screen, failed }).filesNotReady).toEqual([1])
})
