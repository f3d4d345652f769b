import type { ManifestAd, ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { expect, test } from 'vitest'
import { chooseRendition } from './renditions.ts'

const file = (materialId: number, width: number, height: number, codec = ''): ManifestFile => ({
  materialId,
  sha256: String(materialId),
  size: 1,
  mime: 'video/mp4',
  width,
  height,
  codec,
  chunks: [''],
})
const choose = (files: ManifestFile[], width: number, height: number, codecs = ['avc1', 'vp9']) =>
  chooseRendition({ files } as ManifestAd, { width, height, mayPlay: (codec) => codecs.includes(codec) })?.materialId

test('AD-07 a screen plays the rendition that fits the codecs, the orientation and the size of the screen', () => {
  const files = [
    file(1, 3840, 2160, 'avc1'),
    file(2, 1920, 1080, 'avc1'),
    file(3, 1280, 720, 'vp9'),
    file(4, 1080, 1920, 'avc1'),
    file(5, 1920, 1080, 'avc1'),
  ]
  expect(choose(files, 1920, 1080)).toBe(2)
  expect(choose(files, 3840, 2160)).toBe(1)
  expect(choose(files, 1080, 1920)).toBe(4)
  expect(choose(files, 800, 480)).toBe(3)
  expect(choose(files, 1920, 1080, ['vp9'])).toBe(3)
  expect(choose(files, 1080, 1920, ['vp9'])).toBe(3)
  expect(choose(files, 1920, 1080, [])).toBeUndefined()
  expect(choose([file(9, 0, 0)], 1920, 1080, [])).toBe(9)
})
