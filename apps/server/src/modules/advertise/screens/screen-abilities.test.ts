import { AD_TYPE, type ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { expect, test } from 'vitest'
import { computeScreenState } from './screen-table.ts'

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
