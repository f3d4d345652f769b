import { and, eq, sql } from 'drizzle-orm'
import { files } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * Returns width and height from the header of a PNG, JPEG or WebP. `undefined` means that the bytes end before the size
 * of a JPEG, after long metadata. `null` means that the file has another format or no size.
 */
export function readImageSize(head: Uint8Array): ImageSize | null | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  if (bytes[0] === 0x89) return pngSize(bytes)
  if (bytes[0] === 0xff) return jpegSize(bytes)
  return bytes.toString('latin1', 8, 12) === 'WEBP' ? webpSize(bytes) : null
}

function pngSize(bytes: Buffer) {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null
  return positive(bytes.readUInt32BE(16), bytes.readUInt32BE(20))
}

/** Reads the three forms of WebP: lossy, lossless and extended. */
function webpSize(bytes: Buffer) {
  if (bytes.length < 30) return null
  const form = bytes.toString('latin1', 12, 16)
  if (form === 'VP8X') return positive(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
  if (form === 'VP8 ') return positive(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
  if (form !== 'VP8L' || bytes[20] !== 0x2f) return null
  const bits = bytes.readUInt32LE(21)
  return positive((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
}

function jpegSize(bytes: Buffer) {
  let at = 2
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] as number
    if (marker === 0xff) {
      at++
      continue
    }
    if (isFrame(marker)) return positive(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    // Image data, the end of the image or an invalid marker comes before any frame header, so the size is unknown.
    if (marker === 0xda || marker === 0xd9 || marker < 0xc0) return null
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** Start-of-frame markers. C4, C8 and CC are in the same range and have other meanings. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const positive = (width: number, height: number) => (width > 0 && height > 0 ? { width, height } : null)

interface Change {
  readonly before: string
  /** Empty when the picture is removed. */
  readonly after: string
  /** Field of the form and its title. */
  readonly field: string
  readonly title: string
}

/**
 * Changes the picture of a row; call this function before writing the row. The new picture must be an image that this
 * account uploaded; other URLs are refused. Cleanup deletes the replaced picture later unless another row shows it.
 */
export async function changePicture({ db, user, now }: Ctx, { before, after, field, title }: Change) {
  if (after === before) return
  if (after !== '') {
    const [adopted] = await db
      .update(files)
      .set({ usedTime: now.toISOString() })
      .where(and(eq(files.id, fileOf(after)), eq(files.uid, user.uid), eq(files.purpose, 'image')))
      .returning({ id: files.id })
    if (!adopted) throw invalid(`${title}不正确，请重新上传`, field)
  }
  if (before === '') return
  const { rows } = await db.execute<{ shown: number }>(sql`select (
    (select count(*) from device_models where picture = ${before} and deleted_at is null) +
    (select count(*) from tenants where logo = ${before} and deleted_at is null) +
    (select count(*) from scenes where cover = ${before} and deleted_at is null) +
    (select count(*) from settings where starts_with(key, 'brand') and strpos(value::text, ${before}) > 0))::int as shown`)
  if ((rows[0]?.shown ?? 0) <= 1)
    await db
      .update(files)
      .set({ usedTime: null })
      .where(and(eq(files.id, fileOf(before)), eq(files.purpose, 'image')))
}

const fileOf = (address: string) => address.slice(-32)
