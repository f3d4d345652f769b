import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { unpackFolder } from './cluster-template.ts'

test('a failed unpacking, for example on a full disk, leaves no files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oms-unpack-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const entries = [
    { path: 'a', size: 1, folder: false },
    // The folder of this file is missing, so that writing it fails.
    { path: 'missing/b', size: 1, folder: false },
  ]
  const archive = zstdCompressSync(Buffer.from(`${JSON.stringify(entries)}\0xy`))
  const root = join(folder, 'cluster')
  await expect(unpackFolder(archive, root, undefined)).rejects.toThrow('ENOENT')
  expect(existsSync(root)).toBe(false)
})
