import type { StoredFileRow } from '@oms/contract/file.ts'
import type * as z from 'zod'

/** A file the server keeps. */
export type StoredFile = z.output<typeof StoredFileRow>

/** The addresses in a comma-separated value. */
export const addressesIn = (value: string | null | undefined) =>
  (value ?? '').split(',').flatMap((address) => (address.trim() ? [address.trim()] : []))

/** The same the other way: one value for a whole list. */
export const valueOf = (addresses: readonly string[]) => addresses.join(',')

/** The id in one of our own addresses. */
export const fileIdIn = (address: string) => /\/file\/([0-9a-f]{32})/.exec(address)?.[1]
