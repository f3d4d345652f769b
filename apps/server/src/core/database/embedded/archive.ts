import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { open, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompressSync, zstdDecompress } from 'node:zlib'
import type { SystemAccount } from './system-user.ts'

type Entry = { readonly path: string; readonly size: number; readonly folder: boolean }

const decompress = promisify(zstdDecompress)

/** Packs a folder into one compressed buffer: the list of entries, a zero byte, the contents. */
export function packFolder(root: string, isNeeded: (name: string) => boolean = () => true): Buffer {
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter(({ name }) => isNeeded(name))
  const entries: Entry[] = []
  const bodies: Buffer[] = []
  for (const item of found) {
    const full = join(item.parentPath, item.name)
    const body = item.isDirectory() ? Buffer.alloc(0) : readFileSync(full)
    entries.push({ path: full.slice(root.length + 1), size: body.length, folder: item.isDirectory() })
    bodies.push(body)
  }
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\0`), ...bodies])
  return zstdCompressSync(whole, { params: { [constants.ZSTD_c_compressionLevel]: 12 } })
}

/**
 * Unpacks a folder without fsync. `syncFolder` runs fsync later, so that the start does not wait. After a failure, the
 * unpacked files are removed.
 */
export async function unpackFolder(
  compressed: Buffer,
  root: string,
  account: SystemAccount | undefined,
): Promise<void> {
  const whole = await decompress(compressed)
  const split = whole.indexOf(0)
  const entries = JSON.parse(whole.toString('utf8', 0, split)) as Entry[]
  try {
    await writeEntries(whole.subarray(split + 1), entries, root, account)
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw error
  }
}

async function writeEntries(
  bodies: Buffer,
  entries: readonly Entry[],
  root: string,
  account: SystemAccount | undefined,
) {
  const own = (path: string) => account && chownSync(path, account.uid, account.gid)
  mkdirSync(root, { mode: 0o700 })
  for (const { path } of entries.filter(({ folder }) => folder))
    mkdirSync(join(root, path), { recursive: true, mode: 0o700 })
  let at = 0
  const writes = entries
    .filter(({ folder }) => !folder)
    .map(async ({ path, size }) => {
      const body = bodies.subarray(at, (at += size))
      await writeFile(join(root, path), body, { mode: 0o600 })
      own(join(root, path))
    })
  // No file may be written after a failure, because the caller removes the folder.
  await Promise.allSettled(writes)
  await Promise.all(writes)
  for (const { path } of entries.filter(({ folder }) => folder)) own(join(root, path))
  own(root)
}

/**
 * Runs fsync on all files below a folder so that they survive a power failure. A killed process loses nothing without
 * fsync.
 */
export async function syncFolder(root: string): Promise<void> {
  const names = await readdir(root, { recursive: true }).catch(() => [])
  for (const name of ['', ...names]) {
    // The running database creates and deletes files. A deleted file needs no fsync.
    const handle = await open(join(root, name), 'r').catch(() => undefined)
    await handle?.sync().catch(() => {})
    await handle?.close()
  }
}

/**
 * Returns candidate paths of a file that the build stores in `.cache` of a folder above this module (source or bundle).
 */
export function listCachePaths(name: string, from = import.meta.dirname): string[] {
  const parent = dirname(from)
  return [join(from, '.cache', name), ...(parent === from ? [] : listCachePaths(name, parent))]
}
