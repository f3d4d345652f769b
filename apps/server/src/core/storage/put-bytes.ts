import type { FileStore, PutOptions, StoredFile } from './store.ts'

async function* iterateOnce(bytes: Uint8Array) {
  yield bytes
}

/** Stores bytes that are already in memory. */
export const putBytes = (files: FileStore, bytes: Uint8Array, options?: PutOptions): Promise<StoredFile> =>
  files.put(iterateOnce(bytes), options)
