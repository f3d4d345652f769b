import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { FolderSync } from './local-media.ts'

const root = mkdtempSync(join(inject('scratch'), 'folder-sync-'))

test('a failed sync of folders rejects its callers, and the next sync runs', async () => {
  writeFileSync(join(root, 'file'), '')
  const folders = new FolderSync(root)
  const failed = folders.synced(join(root, 'file', 'below'))
  await expect(failed).rejects.toMatchObject({ code: 'ENOTDIR' })
  await expect(folders.synced(root)).resolves.toBeUndefined()
})

test('a folder that was removed meanwhile does not fail the sync', async () => {
  await expect(new FolderSync(root).synced(join(root, 'gone'))).resolves.toBeUndefined()
})
