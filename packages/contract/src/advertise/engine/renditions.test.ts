import { expect, test } from 'vitest'
import { createCodecTest, findReportedCodec, listCodecNames, REPORTED_CODECS } from './renditions.ts'

test('AD-07 a screen refuses a codec only when players can report the codec and the screen has not reported it', () => {
  const mayPlay = createCodecTest(['vp9', 'opus'])
  expect(['vp9', 'vp9.0', 'Opus'].map(mayPlay)).toEqual([true, true, true])
  expect(['avc1', 'avc1.640028', 'mp4a.40.2'].map(mayPlay)).toEqual([false, false, false])
  expect(['pcm_s16le', 'flac', 'vorbis'].map(mayPlay)).toEqual([true, true, true])
  expect(createCodecTest([])('avc1')).toBe(true)
})

test('AD-07 two codec names of one codec family are equal, whatever profile and level they contain', () => {
  const avc = ['avc1', 'avc1.64001f', 'avc1.640028', 'avc3.42e01e', 'h264', 'H264', ' AVC1 ']
  for (const reported of avc) expect(avc.map(createCodecTest([reported]))).toEqual(avc.map(() => true))
  const others = ['hvc1.1.6.L120.90', 'hev1', 'hevc', 'h265', 'av01.0.08M.08', 'vp8', 'vp09.00.10.08', 'mp4a.40.2']
  expect(others.map(createCodecTest(['h264']))).toEqual(others.map(() => false))
  expect(['hev1.1.6', 'hvc1'].map(createCodecTest(['hevc']))).toEqual([true, true])
  expect(['vp9', 'vp09.02.10.10'].map(createCodecTest(['vp09.00.10.08']))).toEqual([true, true])
})

test('AD-05 each codec name belongs to exactly one codec', () => {
  for (const codec of REPORTED_CODECS)
    expect(listCodecNames(codec).map(findReportedCodec)).toEqual(listCodecNames(codec).map(() => codec))
})
