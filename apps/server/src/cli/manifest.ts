import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { CommandError } from './command.ts'

const digest = z.string().regex(/^[0-9a-f]{64}$/)

/**
 * Manifest of a backup. The manifest is written last, so a folder without it is no backup. Format 1 has no
 * `rowsDigest`: its tables are compared only by loaded bytes and number of rows.
 */
const manifest = z.object({
  format: z.union([z.literal(1), z.literal(2)]),
  takenAt: z.string(),
  postgres: z.string(),
  migrations: z.array(z.object({ tag: z.string(), checksum: z.string() })),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.number(),
      /** Digest of the uncompressed rows. */
      sha256: digest,
      /** Digest of the set of rows, see `RowsDigest`. */
      rowsDigest: digest.optional(),
      /** Digest of the compressed file in the folder. */
      memberSha256: digest,
    }),
  ),
  partitions: z.array(z.object({ name: z.string(), parent: z.string(), bound: z.string() })),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), called: z.boolean() })),
  files: z.array(z.object({ sha256: digest, size: z.number() })),
  /** True when the folder contains the key that encrypts secrets in the rows; false when the operator keeps the key. */
  secretKey: z.boolean(),
})

export type Manifest = z.output<typeof manifest>

export const BACKUP_MANIFEST_FILE = 'manifest.json'
export const SECRET_KEY = 'secret.key'
export const rowsPath = (folder: string, table: string) => join(folder, 'rows', `${table}.copy.zst`)
export const filePath = (folder: string, sha256: string) => join(folder, 'files', sha256.slice(0, 2), sha256)

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, BACKUP_MANIFEST_FILE), 'utf8').catch(() => {
    throw new CommandError(`${folder} 不是完整的备份：没有 ${BACKUP_MANIFEST_FILE}`)
  })
  const parsed = manifest.safeParse(JSON.parse(text))
  if (!parsed.success) throw new CommandError(`${folder} 的 ${BACKUP_MANIFEST_FILE} 读不懂，可能由更新的程序生成`)
  return parsed.data
}
