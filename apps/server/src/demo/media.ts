import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createWav } from '#core/media/wav.ts'
import type { Services } from '#core/services.ts'
import { putBytes } from '#core/storage/open-store.ts'

/** Folder of the videos of the demo. A build copies the folder beside the bundle. */
export const VIDEO_FOLDER = join(import.meta.dirname, 'videos')

const RATE = 16_000

/** Returns a WAV (16 kHz mono 16 bit) of a falling tone. */
export function createTone(seconds: number, hertz: number): Buffer {
  const count = Math.round(seconds * RATE)
  const samples = Buffer.alloc(count * 2)
  for (let n = 0; n < count; n += 1) {
    const fade = 1 - n / count
    samples.writeInt16LE(Math.round(8000 * fade * Math.sin((2 * Math.PI * hertz * n) / RATE)), n * 2)
  }
  return createWav(samples, RATE)
}

interface NewFile {
  readonly purpose: string
  readonly name: string
  readonly mime: string
}

/** Stores bytes and returns the row of the file, which a record uses from now on. The caller inserts the row. */
export async function storeFile(
  services: Pick<Services, 'files' | 'now'>,
  owner: { readonly uid: number; readonly tenantId: number },
  file: NewFile,
  bytes: Buffer,
) {
  const { sha256, sha1, md5, size } = await putBytes(services.files, bytes)
  const usedTime = services.now().toISOString()
  return { id: randomBytes(16).toString('hex'), ...owner, ...file, size, md5, sha1, sha256, usedTime }
}
