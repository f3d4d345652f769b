import { AD_MESSAGES } from '@oms/contract/advertise/ad-rules.ts'
import { MAX_IMAGE_PIXELS, UPLOAD_MESSAGES } from '@oms/contract/core/upload.ts'
import { findSizeProblem } from '#core/storage/file-type.ts'
import { FileRefusedError, EMPTY_PROBE_FACTS, type ProbeFacts } from './probe.ts'

const THUMB_PIXELS = 480
const THUMB_QUALITY = 80
const MIME: Readonly<Record<string, string>> = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' }
const QUARTER_TURN = 90
/**
 * Degrees of the EXIF orientations that rotate the picture. A mirrored orientation counts as the same orientation
 * without mirroring.
 */
const DEGREES: Readonly<Record<number, number>> = { 3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270 }

/** Decodes a picture and writes its thumbnail. Returns the size after the rotation of its EXIF data. */
export async function probeImage(path: string, thumbPath: string): Promise<ProbeFacts> {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  sharp.cache(false)
  const options = { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', sequentialRead: true } as const
  try {
    const { format, width, height, orientation = 1 } = await sharp(path, options).metadata()
    const mime = MIME[format ?? '']
    if (!mime) throw new FileRefusedError(AD_MESSAGES.damagedImage)
    const problem = findSizeProblem({ width, height })
    if (problem) throw new FileRefusedError(problem)
    const size = { width: THUMB_PIXELS, height: THUMB_PIXELS, fit: 'inside', withoutEnlargement: true } as const
    await sharp(path, options).autoOrient().resize(size).webp({ quality: THUMB_QUALITY }).toFile(thumbPath)
    const rotation = DEGREES[orientation] ?? 0
    const isTurned = rotation % (2 * QUARTER_TURN) !== 0
    return { ...EMPTY_PROBE_FACTS, mime, rotation, width: isTurned ? height : width, height: isTurned ? width : height }
  } catch (error) {
    if (error instanceof FileRefusedError) throw error
    const isTooLarge = error instanceof Error && /pixel limit/.test(error.message)
    throw new FileRefusedError(isTooLarge ? UPLOAD_MESSAGES.pixels : AD_MESSAGES.damagedImage, { cause: error })
  }
}
