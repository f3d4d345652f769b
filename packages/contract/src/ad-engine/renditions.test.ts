import { expect, test } from 'vitest'
import { createCodecTest } from './renditions.ts'

test('AD-07 a screen lacks only codecs that players report', () => {
  const mayPlay = createCodecTest(['vp9', 'opus'])
  expect(['vp9', 'vp9.0', 'Opus'].map(mayPlay)).toEqual([true, true, true])
  expect(['avc1', 'avc1.640028', 'mp4a.40.2'].map(mayPlay)).toEqual([false, false, false])
  expect(['pcm_s16le', 'flac', 'vorbis'].map(mayPlay)).toEqual([true, true, true])
  expect(createCodecTest([])('avc1')).toBe(true)
})
