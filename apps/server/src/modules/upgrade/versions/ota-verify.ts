import { Digests } from '#core/storage/hash-pool.ts'
import { FileMissing, type FileStore } from '#core/storage/store.ts'
import type { StoredComponent } from './ota-rows.ts'

export type RecordedDigests = Pick<StoredComponent, 'sha256' | 'sha1' | 'md5' | 'size'>
/** Waits as long as reading this many bytes may take. Throws to abort the verification. */
export type ReadPacer = (bytes: number) => Promise<void> | void

/**
 * Returns true when the stored bytes still have the size and digests recorded at upload. Reads all bytes; a worker
 * thread hashes large files, so that requests are served meanwhile.
 */
export async function isIntact(
  store: Pick<FileStore, 'openRead'>,
  recorded: RecordedDigests,
  pace: ReadPacer = () => {},
): Promise<boolean> {
  const digests = new Digests()
  try {
    for await (const chunk of await store.openRead(recorded.sha256)) {
      await digests.add(chunk as Buffer)
      await pace((chunk as Buffer).length)
    }
    const found = await digests.end()
    return (['size', 'sha256', 'sha1', 'md5'] as const).every((name) => found[name] === recorded[name])
  } catch (error) {
    digests.abandon()
    if (error instanceof FileMissing) return false
    throw error
  }
}
