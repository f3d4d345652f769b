import { expect, test } from 'vitest'
import { espImage } from '#test/fixtures/esp-image.ts'
import { APP_IMAGE_HEAD, parseAppImage } from './image.ts'

test('version, project, chip, framework and build time are read from a firmware image', () => {
  expect(parseAppImage(espImage('2.0.10'))).toEqual({
    version: '2.0.10',
    project: 'xiaozhi',
    chip: 'ESP32-S3',
    idf: 'v5.5.1',
    buildTime: 'Nov 26 2026 09:41:00',
  })
  expect(parseAppImage(espImage('1', { chip: 77 }))?.chip).toBe('77')
})

test('fields without a terminating zero are read, and characters that are not printable are replaced', () => {
  expect(parseAppImage(espImage('9'.repeat(32)))?.version).toBe('9'.repeat(32))
  expect(parseAppImage(espImage('2.0\u0001\u00e9'))?.version).toBe('2.0??')
})

test.each([
  ['a shorter file', espImage('2.0.10').subarray(0, APP_IMAGE_HEAD - 1)],
  ['another first byte', Buffer.concat([Buffer.from([0xe8]), espImage('2.0.10').subarray(1)])],
  [
    'a bootloader or a merged flash image, which have no descriptor',
    Buffer.concat([Buffer.from([0xe9]), Buffer.alloc(4096)]),
  ],
  ['an empty file', Buffer.alloc(0)],
])('reading %s as a firmware image returns undefined', (_, head) => {
  expect(parseAppImage(head)).toBeUndefined()
})
