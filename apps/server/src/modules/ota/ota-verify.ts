import { createHash } from 'node:crypto'
import { FileMissing, type FileStore } from '#kernel/files/store.ts'
import type { StoredComponent } from './ota-rows.ts'

export type Recorded = Pick<StoredComponent, 'sha256' | 'sha1' | 'md5' | 'size'>
/** Waits as long as these bytes may take; throws to stop. */
export type Pace = (bytes: number) => Promise<void> | void

/** Reads the stored bytes again, all of them: are they still what was recorded at upload? */
export async function isIntact(store: FileStore, recorded: Recorded, pace: Pace = () => {}): Promise<boolean> {
  const hashes = { md5: createHash('md5'), sha1: createHash('sha1'), sha256: createHash('sha256') }
  let size = 0
  try {
    for await (const chunk of await store.openRead(recorded.sha256)) {
      size += (chunk as Buffer).length
      for (const hash of Object.values(hashes)) hash.update(chunk as Buffer)
      await pace((chunk as Buffer).length)
    }
  } catch (error) {
    if (error instanceof FileMissing) return false
    throw error
  }
  return (
    size === recorded.size &&
    hashes.sha256.digest('hex') === recorded.sha256 &&
    hashes.sha1.digest('hex') === recorded.sha1 &&
    hashes.md5.digest('hex') === recorded.md5
  )
}
