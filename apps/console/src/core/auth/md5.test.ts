import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeMd5 } from './md5.ts'

test('computes the MD5 digest of any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      expect(computeMd5(text)).toBe(createHash('md5').update(text, 'utf8').digest('hex'))
    }),
  )
})
