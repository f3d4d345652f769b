import { expect, test } from 'vitest'
import { findCodecWarning, formatFileFacts, formatAdSpecification } from './material-text.ts'

const NONE = { width: 0, height: 0, durationMs: 0, codec: '', size: 0 }

test('AD-02 the text of a material shows size, duration and codec on one line', () => {
  const video = { width: 1920, height: 1080, durationMs: 15_000, codec: 'avc1', size: 8 * 1024 * 1024 }
  expect(formatFileFacts(video)).toBe('1920×1080 · 15.0 秒 · H.264 · 8.0 MB')
  expect(formatFileFacts({ ...NONE, width: 1080, height: 1920, size: 2048 })).toBe('1080×1920 · 2.0 KB')
})

test('AD-02 the text of a material has a hint for a codec that few screens can decode', () => {
  expect(findCodecWarning({ codec: 'hvc1' })).toBe('该编码部分屏幕无法播放')
  expect(findCodecWarning({ codec: 'avc1' })).toBe('')
})

test('a list shows size, duration and bytes of an ad', () => {
  const nbsp = '\u00a0'
  expect(formatAdSpecification({ spec: '1920×1080', duration: 15, fileBytes: 2_411_725 })).toBe(
    `1920×1080 · 15${nbsp}秒 · 2.3${nbsp}MB`,
  )
  expect(formatAdSpecification({ spec: '1280×720、720×1280', duration: 8, fileBytes: 900 })).toBe(
    `1280×720 等2种 · 8${nbsp}秒 · 900${nbsp}B`,
  )
  expect(formatAdSpecification({ spec: '', duration: 8, fileBytes: 0 })).toBe(`8${nbsp}秒`)
})
