import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeDirectory } from './local-files.ts'

test('makeDirectory creates a folder with all parents, or fails at once where this is impossible', () => {
  const root = mkdtempSync(join(tmpdir(), 'oms-folder-'))
  const deep = join(root, 'a/b/c')
  makeDirectory(deep, 0o700)
  makeDirectory(deep, 0o700)
  expect(statSync(deep).mode & 0o777).toBe(0o700)
  writeFileSync(join(root, 'file'), '')
  expect(() => makeDirectory(join(root, 'file'))).toThrow('EEXIST')
  expect(() => makeDirectory(join(root, 'file/below'))).toThrow('ENOTDIR')
  // In /proc nobody can create a folder.
  const barren = existsSync('/proc/self') ? '/proc/oms/rows' : join(root, 'file/oms')
  expect(() => makeDirectory(barren)).toThrow(/ENOENT|ENOTDIR/)
  rmSync(root, { recursive: true })
})
