import { AD_TYPE, type ManifestAd, type ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { beforeEach, expect, test, vi } from 'vitest'
import type { PlayerManifest } from '../wire.ts'
import { Availability } from './availability.ts'
import type { MediaStore } from './media-store.ts'

vi.mock('../reports/screen-facts.ts', () => ({
  readScreenSize: () => ({ width: 3840, height: 2160 }),
  canPlayCodec: () => true,
}))
beforeEach(() => void vi.stubGlobal('navigator', {}))

const file = (sha256: string, width: number, size: number): ManifestFile => ({
  materialId: width,
  sha256,
  size,
  mime: 'video/mp4',
  width,
  height: (width * 9) / 16,
  codec: '',
  chunks: ['c'],
})
const ad = {
  id: 1,
  type: AD_TYPE.video,
  files: [file('large', 3840, 300), file('middle', 1920, 200), file('small', 1280, 100)],
} as unknown as ManifestAd
const manifest = { ads: [ad] } as unknown as PlayerManifest

function createScreen() {
  const stored = new Set<string>()
  const without = new Set<string>()
  const media = { isReady: ({ sha256 }: ManifestFile) => stored.has(sha256) } as MediaStore
  const available = new Availability(
    media,
    () => true,
    ({ sha256 }) => without.has(sha256),
  )
  const hashesOf = (files: readonly ManifestFile[]) => files.map(({ sha256 }) => sha256)
  return {
    stored,
    without,
    wanted: () => hashesOf(available.filesOf(manifest, [1])),
    needed: () => [...new Set(hashesOf(available.neededFiles(manifest)))],
    played: () => available.fileOf(ad)?.sha256,
    isSkipped: () => available.computeState(manifest, 0).filesNotReady.includes(1),
  }
}

test('AD-07 a screen without room for a rendition downloads and plays the next smaller one', () => {
  const { stored, without, wanted, played, isSkipped } = createScreen()
  expect([wanted(), isSkipped()]).toEqual([['large'], true])
  without.add('large')
  expect(wanted()).toEqual(['middle'])
  without.add('middle')
  expect(wanted()).toEqual(['small'])
  stored.add('small')
  expect([played(), isSkipped()]).toEqual(['small', false])
})

test('AD-07 the failure of the best rendition is reported when no rendition has room', () => {
  const { without, wanted, isSkipped } = createScreen()
  for (const { sha256 } of ad.files) without.add(sha256)
  expect([wanted(), isSkipped()]).toEqual([['large'], true])
})

test('AD-07 a stored smaller rendition plays and stays until the best one is stored', () => {
  const { stored, wanted, needed, played } = createScreen()
  stored.add('small')
  expect([wanted(), played(), needed()]).toEqual([['large'], 'small', ['large', 'small']])
  stored.add('large')
  expect([wanted(), played(), needed()]).toEqual([['large'], 'large', ['large']])
})
