import { expect, test } from 'vitest'
import { wavOf } from '#test/clients/voiceprint-service.ts'
import { measureAudioSeconds } from './wav.ts'

/** Returns MP3 frames of silence: MPEG 1 layer III, 44.1 kHz, 128 kbit/s. */
const frames = (count: number) => {
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x00])
  return Buffer.concat(Array.from({ length: count }, () => frame))
}

test('the duration of a WAV is computed from its byte rate, whatever size its header states', () => {
  const wav = wavOf(1, 9)
  expect(measureAudioSeconds(wav)).toBe(9)
  wav.writeUInt32LE(0xffffffff, 40)
  expect(measureAudioSeconds(wav)).toBe(9)
})

test('the duration of an MP3 is computed from its frames, after an ID3 tag and before a trailer', () => {
  const tag = Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 0]), Buffer.alloc(128)])
  const trailer = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)])
  expect(measureAudioSeconds(frames(383))).toBeCloseTo(10, 1)
  expect(measureAudioSeconds(Buffer.concat([tag, frames(383), trailer]))).toBeCloseTo(10, 1)
})

test.each([
  ['no audio', Buffer.from('ID3 hello')],
  ['a WAV without samples', wavOf(1).subarray(0, 36)],
  ['a WAV whose chunk sizes lead nowhere', Buffer.concat([Buffer.from('RIFF0000WAVEfmt '), Buffer.alloc(40, 0xff)])],
  ['sync words only', Buffer.alloc(1_000_000, 0xff)],
])('measureAudioSeconds returns undefined for %s', (_, content) => {
  expect(measureAudioSeconds(content)).toBeUndefined()
})
