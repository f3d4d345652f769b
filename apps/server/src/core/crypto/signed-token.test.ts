import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readNumbers, signNumbers } from './signed-token.ts'

const key = randomBytes(32)
const NUMBERS = [0, 7, 1_795_322_000_123, Number.MAX_SAFE_INTEGER]

test('the numbers of a signed token can be read back', () => {
  expect(readNumbers(key, 'play', signNumbers(key, 'play', NUMBERS), 4)).toEqual(NUMBERS)
})

test('a token with a changed character, or for another purpose, key or count, is refused', () => {
  const token = signNumbers(key, 'play', NUMBERS)
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'b' ? 'c' : 'b'
    const changed = token.slice(0, at) + other + token.slice(at + 1)
    // The last character of base64url carries two bits that are not part of the signature.
    if (at < token.length - 1) expect(readNumbers(key, 'play', changed, 4), changed).toBeUndefined()
  }
  expect(readNumbers(key, 'session', token, 4)).toBeUndefined()
  expect(readNumbers(randomBytes(32), 'play', token, 4)).toBeUndefined()
  expect(readNumbers(key, 'play', token, 3)).toBeUndefined()
})

test.each(['', '.', 'a', '1.2.3', `${'1'.repeat(300)}.${'A'.repeat(22)}`, `.${'A'.repeat(22)}`])(
  'the text %s is refused as a token',
  (text) => {
    expect(readNumbers(key, 'play', text, 4)).toBeUndefined()
  },
)
