import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chunksOf, fileStoreSuite } from '#test/file-store-suite.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LocalPartStore } from './local-parts.ts'
import { LocalStore } from './local-store.ts'
import { openFileStore, openUploadPartStore } from '#core/storage/open-store.ts'
import { DiskFull } from '#core/storage/store.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oms-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

fileStoreSuite('a directory', async () => {
  const root = await mkdtemp(join(tmpdir(), 'oms-files-'))
  return {
    files: new LocalStore(root, 0),
    parts: new LocalPartStore(join(root, 'uploads'), 0),
    leftovers: () => readdir(join(root, 'tmp')),
    close: () => rm(root, { recursive: true, force: true }),
  }
})

test('a file is refused before its first byte when disk space is low', async () => {
  const store = new LocalStore(join(folder, 'full'), Number.MAX_SAFE_INTEGER)
  await expect(store.put(chunksOf(randomBytes(10)))).rejects.toThrow(DiskFull)
  expect(await readdir(join(folder, 'full', 'tmp'))).toEqual([])
  const roomy = new LocalStore(join(folder, 'full'), 0)
  const expected = { size: Math.ceil(((await roomy.freeBytes()) * 2) / 3) }
  await expect(roomy.put(chunksOf(randomBytes(10)), { expect: expected })).rejects.toThrow(DiskFull)
})

test('storing a file again repairs a damaged copy', async () => {
  const root = join(folder, 'heal')
  const store = new LocalStore(root, 0)
  const bytes = randomBytes(1000)
  const { sha256 } = await store.put(chunksOf(bytes))
  const path = join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256)
  await truncate(path, 10)
  await appendFile(path, 'x')
  await store.put(chunksOf(bytes))
  expect(Buffer.compare(Buffer.concat(await (await store.openRead(sha256)).toArray()), bytes)).toBe(0)
})

test('opening the store deletes temporary files of an earlier process, but no files in use', async () => {
  const temporary = join(folder, 'files', 'tmp')
  await mkdir(temporary, { recursive: true })
  for (const name of ['old.part', 'young.part']) await writeFile(join(temporary, name), 'x')
  const yesterday = new Date(Date.now() - 86_400_000)
  await utimes(join(temporary, 'old.part'), yesterday, yesterday)
  const store = await openFileStore({ dataDir: folder })
  expect(await readdir(temporary)).toEqual(['young.part'])
  expect(await store.freeBytes()).toBeGreaterThan(0)
  expect(await openUploadPartStore({ dataDir: folder })).toBeInstanceOf(LocalPartStore)
})
