import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import type {
  AdText,
  Manifest,
  ManifestAd,
  ManifestItem,
  ManifestProgram,
} from '@oms/contract/advertise/engine/manifest.ts'

/** An ad of a journey with the milliseconds of one play. */
export type AdOfTest = Partial<ManifestAd> & { readonly ms: number; readonly fade?: boolean }

export const text = (content: string, fields: Partial<AdText> = {}) => ({
  type: 4 as const,
  text: {
    content,
    fontSize: 120,
    color: '#ffffff',
    background: '#1d3b8b',
    align: 'center' as const,
    scroll: false,
    speed: 3,
    ...fields,
  },
})

/** Returns a manifest with one program that plays the ads in turn, all day. */
export function manifestOf(ads: readonly AdOfTest[], fields: Partial<ManifestProgram> = {}): Manifest {
  const items = ads.map(
    ({ ms, fade }, index): ManifestItem => ({
      id: index + 1,
      adId: index + 101,
      ms,
      weight: 1,
      maxPlaysPerHour: 0,
      from: null,
      to: null,
      transition: fade ? 1 : 0,
    }),
  )
  const program: ManifestProgram = {
    id: 31,
    verNo: 4,
    name: '节目单',
    publishedAt: 1,
    playMode: 1,
    priority: 5,
    insertMode: 0,
    share: null,
    dateFrom: '2020-01-01',
    dateTo: '2099-12-31',
    weekdays: 127,
    dayParts: [],
    fallback: 0,
    items,
    ...fields,
  }
  return { format: 1, zone: 'Asia/Shanghai', programs: [program], ads: ads.map(adOf) }
}

function adOf({ ms: _ms, fade: _fade, ...fields }: AdOfTest, index: number): ManifestAd {
  return {
    id: index + 101,
    verNo: 1,
    name: `广告${index + 1}`,
    type: 1,
    validFrom: null,
    validTo: null,
    approvalUntil: null,
    linkUrl: null,
    text: null,
    files: [],
    ...fields,
  }
}

/** Returns a PNG of one colour, or of noise that does not compress. */
export function png(width: number, height: number, colour: readonly [number, number, number] | 'noise') {
  const row = (y: number) => {
    if (colour === 'noise') return Buffer.concat([Buffer.from([0]), randomBytes(width * 3)])
    const shade = colour.map((value) => Math.round(value * (0.5 + y / height / 2)))
    return Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: width }, () => shade).flat())])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = Buffer.concat(Array.from({ length: height }, (_, y) => row(y)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer) {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Returns a WAV file with a tone of 440 Hz. */
export function tone(seconds: number) {
  const rate = 8000
  const samples = Buffer.alloc(rate * seconds * 2)
  for (let at = 0; at < rate * seconds; at++)
    samples.writeInt16LE(Math.round(9000 * Math.sin((2 * Math.PI * 440 * at) / rate)), at * 2)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

/** Returns a clip of four seconds. */
export const clip = (codec: 'vp8' | 'vp9') => readFileSync(join(import.meta.dirname, `media/clip-${codec}.webm`))
