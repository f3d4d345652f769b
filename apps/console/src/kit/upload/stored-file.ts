import type { StoredFileRow } from '@oms/contract/system/file.ts'
import type * as z from 'zod'

/** A file stored on the server. */
export type StoredFile = z.output<typeof StoredFileRow>

/** Returns the URLs of a comma-separated value. */
export const splitAddresses = (value: string | null | undefined) =>
  (value ?? '').split(',').flatMap((address) => (address.trim() ? [address.trim()] : []))

/** Joins URLs to a comma-separated value. */
export const joinAddresses = (addresses: readonly string[]) => addresses.join(',')

/** Returns the file id of a server URL. */
export const parseFileId = (address: string) => /\/file\/([0-9a-f]{32})/.exec(address)?.[1]
