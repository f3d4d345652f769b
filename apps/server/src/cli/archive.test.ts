import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { RowsDigest } from './archive.ts'

function digestOf(...chunks: string[]) {
  const digest = new RowsDigest()
  for (const chunk of chunks) digest.update(Buffer.from(chunk))
  return digest.digest()
}

test('the digest does not depend on the order of rows or on the chunk boundaries', () => {
  const expected = digestOf('1\tä\n2\t\\N\n3\tc\n')
  expect(digestOf('3\tc\n1\tä\n2\t\\N\n')).toBe(expected)
  expect(digestOf('2\t', '\\N\n1\tä', '\n3', '\tc\n')).toBe(expected)
})

test('the digest counts the rows of all chunks', () => {
  const digest = new RowsDigest()
  for (const chunk of ['1\ta\n2', '\tb\n', '3\tc\n']) digest.update(Buffer.from(chunk))
  expect(digest.rows).toBe(3)
})

test('the digest differs for a changed, missing or repeated row', () => {
  const expected = digestOf('1\n2\n')
  for (const rows of ['1\n3\n', '1\n', '1\n2\n2\n', '12\n', '1\n2\n\n']) expect(digestOf(rows)).not.toBe(expected)
})

test('the digest of one row equals the SHA-256 of its text in eight parts', () => {
  const bytes = createHash('sha256').update('row').digest()
  const lanes = Array.from({ length: 8 }, (_, lane) =>
    bytes
      .readUInt32LE(lane * 4)
      .toString(16)
      .padStart(8, '0'),
  )
  expect(digestOf('row\n')).toBe(lanes.join(''))
})
