import { expect, test } from 'vitest'
import { measureAudioSeconds, createWav } from './wav.ts'

test('a WAV starts with the canonical header of 44 bytes', () => {
  const wav = createWav(Buffer.from([1, 2, 3, 4]), 24_000)
  expect(wav.toString('hex')).toBe(
    [
      '52494646', // RIFF
      '28000000', // 40 bytes follow
      '57415645666d7420', // WAVEfmt
      '10000000', // 16 bytes of format
      '01000100', // PCM, one channel
      'c05d0000', // 24000 samples a second
      '80bb0000', // 48000 bytes a second
      '02001000', // 2 bytes a sample, 16 bits
      '64617461', // data
      '04000000', // 4 bytes
      '01020304',
    ].join(''),
  )
})

test('the length of a WAV is the number of its samples divided by the sample rate', () => {
  expect(measureAudioSeconds(createWav(Buffer.alloc(48_000), 16_000))).toBe(1.5)
})
