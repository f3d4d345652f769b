import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { ReportStream, ReportTextTooLong } from './report.ts'

function split(body: string, sizes: () => number, maxText = 100_000) {
  const stream = new ReportStream(maxText)
  const bytes = Buffer.from(body)
  const audio: Buffer[] = []
  let largest = 0
  for (let at = 0; at < bytes.length; ) {
    const end = at + sizes()
    const slice = stream.take(bytes.subarray(at, end))
    if (slice) audio.push(slice)
    largest = Math.max(largest, slice?.length ?? 0)
    at = end
  }
  return { text: stream.text(), audio: Buffer.concat(audio), hasAudio: stream.hasAudio, largest }
}

const audio = randomBytes(10_001)
const report = {
  macAddress: 'aa',
  content: '说"audioBase64":"\\ 好\u0000',
  chatType: 1,
  audioBase64: audio.toString('base64'),
}

test.each([1, 2, 3, 7, 64, 1_000_000])(
  'a report that arrives in chunks of %i bytes is split into text and audio',
  (size) => {
    const found = split(JSON.stringify(report), () => size)
    expect(JSON.parse(found.text)).toEqual({ ...report, audioBase64: '' })
    expect(found.audio.equals(audio)).toBe(true)
  },
)

test('a report with chunks of random sizes, spaces, escaped slashes and other key orders is split', () => {
  const { audioBase64, ...rest } = report
  const bodies = [
    JSON.stringify({ audioBase64, ...rest }, null, 2),
    JSON.stringify(report).replaceAll('/', '\\/'),
    JSON.stringify({ ...report, inner: { audioBase64: 'stays' }, list: ['audioBase64', 'x'] }),
  ]
  for (const body of bodies)
    for (let run = 0; run < 20; run += 1) {
      const found = split(body, () => 1 + Math.floor(Math.random() * 300))
      expect(found.audio.equals(audio)).toBe(true)
      expect(JSON.parse(found.text)).toEqual({ ...(JSON.parse(body) as object), audioBase64: '' })
    }
})

test('a report without audio returns only its text', () => {
  for (const audioBase64 of [null, '', undefined, 5]) {
    const found = split(JSON.stringify({ ...report, audioBase64 }), () => 5)
    expect(found.audio.length).toBe(0)
    expect(JSON.parse(found.text)).toEqual(JSON.parse(JSON.stringify({ ...report, audioBase64 })))
    expect(found.hasAudio).toBe(audioBase64 === '')
  }
})

test('the key of the audio inside other values is ignored', () => {
  const found = split(JSON.stringify({ a: { audioBase64: 'AAAA' }, b: 'audioBase64', c: '":"' }), () => 3)
  expect([found.hasAudio, found.audio.length]).toEqual([false, 0])
})

test('20 MB of audio are decoded in slices, and a text above the limit is refused', () => {
  const large = JSON.stringify({ ...report, audioBase64: 'QUJD'.repeat(5_000_000) })
  const found = split(large, () => 65_536)
  expect(found.audio.length).toBe(15_000_000)
  expect(found.largest).toBeLessThanOrEqual(65_536)
  expect(found.text.length).toBeLessThan(200)
  expect(() => split(JSON.stringify({ content: 'x'.repeat(200_000) }), () => 65_536)).toThrow(ReportTextTooLong)
})

test('the splitter accepts invalid JSON without an error; only the later parsing of the text fails', () => {
  for (const body of ['', '{', '{"audioBase64":"QUJ', ']]]]"audioBase64":"x', 'null'])
    expect(() => split(body, () => 2)).not.toThrow()
})
