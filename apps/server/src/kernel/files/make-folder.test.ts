import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

test('folders are made with all above them, or refused at once where none can be', () => {
  const root = mkdtempSync(join(tmpdir(), 'oms-folder-'))
  const deep = join(root, 'a/b/c')
  makeFolder(deep, 0o700)
  makeFolder(deep, 0o700)
  expect(statSync(deep).mode & 0o777).toBe(0o700)
  writeFileSync(join(root, 'file'), '')
  expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST')
  expect(() => makeFolder(join(root, 'file/below'))).toThrow('ENOTDIR')
  // Where the system shows its processes as files nobody can make a folder.
  const barren = existsSync('/proc/self') ? '/proc/oms/rows' : join(root, 'file/oms')
  expect(() => makeFolder(barren)).toThrow(/ENOENT|ENOTDIR/)
  rmSync(root, { recursive: true })
})
