import { existsSync } from 'node:fs'
import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { storeJobFile } from '#core/spreadsheet/transfer-jobs.ts'
import { blockFileRemoval } from '#core/storage/local/local-files.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { startSpoolSweep, sweepFiles } from './file.ts'

const server = useApp()

/** Creates a finished export of operation logs with a file. */
async function createFinishedExport({ uid }: Caller) {
  const stored = await putBytes(server.services.files, Buffer.from('a,b'))
  const user = { uid, tenantId: 1 } as never
  const kept = { purpose: 'export', name: 'a.csv', mime: 'text/csv', stored } as const
  const file = await storeJobFile({ services: server.services, user }, kept)
  const payload = { of: 'operLog', input: {} }
  const jobId = await server.services.jobs.add(server.db, { kind: 'x', uid, tenantId: 1, payload })
  const result = JSON.stringify({ rows: 1, file })
  await server.db.execute(sql`update jobs set state = 'done', result = ${result}::jsonb where job_id = ${jobId}`)
  return { file, jobId }
}

test('PERM-08 the file of a finished export is refused after the permission was revoked', async () => {
  const me = await server.as('system:operLog:export')
  const { file } = await createFinishedExport(me)
  const fetched = () => me.inject({ url: `/api/v1/file/${file.id}` })
  expect((await fetched()).body).toBe('a,b')
  await server.db.execute(sql`delete from account_roles where uid = ${me.uid}`)
  server.services.sessions.forgetAll()
  expect((await fetched()).json()).toMatchObject({ code: 400, msg: '文件不存在或已被删除' })
})

test('the file of a background export is kept for seven days, and its job returns the expiry time', async () => {
  const me = await server.as('system:operLog:export')
  const { file, jobId } = await createFinishedExport(me)
  const age = (days: number) =>
    server.db.execute(
      sql`update files set create_time = now() - make_interval(days => ${days}::int, mins => 1) where id = ${file.id}`,
    )
  const shown = async () => (await me.call('GET', `/api/v1/account/job/${jobId}`)).data.file
  const fetched = () => me.inject({ method: 'GET', url: `/api/v1/file/${file.id}` })

  await age(6)
  await sweepFiles(server.services)
  expect(await shown()).toEqual({ ...file, expired: false })
  expect((await fetched()).body).toBe('a,b')
  await age(7)
  await sweepFiles(server.services)
  expect(await shown()).toEqual({ ...file, expired: true })
  expect((await fetched()).json()).toMatchObject({ code: 400, msg: '文件不存在或已被删除' })
})

/** Stores unused content with a time two days ago. */
async function oldContent(text: string) {
  const { sha256 } = await putBytes(server.services.files, Buffer.from(text))
  const path = join(server.dataDir, 'files', sha256.slice(0, 2), sha256.slice(2, 4), sha256)
  const age = () => utimes(path, new Date(), new Date(Date.now() - 2 * 86_400_000))
  await age()
  return { sha256, age, exists: async () => (await server.services.files.stat(sha256)) !== null }
}
const forgetClaims = () => server.db.execute(sql`update file_claims set claim_time = now() - interval '2 days'`)

test('the clean-up keeps uploaded content whose database row is not yet written', async () => {
  const { age, exists } = await oldContent('uploaded again')
  await forgetClaims()
  // Uploads the same content again, without a row yet and with a file system clock that is behind.
  await putBytes(server.services.files, Buffer.from('uploaded again'))
  await age()
  await sweepFiles(server.services)
  expect(await exists()).toBe(true)
  await forgetClaims()
  await sweepFiles(server.services)
  expect(await exists()).toBe(false)
})

test('the clean-up waits for an upload that holds the lock of the same content', async () => {
  const { sha256, exists } = await oldContent('claimed meanwhile')
  await forgetClaims()
  const upload = await server.services.database.pool.connect()
  await upload.query('begin')
  await upload.query('select pg_advisory_xact_lock(7302517, hashtext($1))', [sha256])
  const swept = sweepFiles(server.services)
  await expect
    .poll(async () => (await server.db.execute(sql`select from pg_locks where not granted and classid = 7302517`)).rows)
    .toHaveLength(1)
  await upload.query(
    'insert into file_claims (sha256) values ($1) on conflict (sha256) do update set claim_time = now()',
    [sha256],
  )
  await upload.query('commit')
  upload.release()
  await swept
  expect(await exists()).toBe(true)
})

test('the clean-up deletes nothing while a backup copies files', async () => {
  const { exists } = await oldContent('needed by a backup')
  await forgetClaims()
  await blockFileRemoval(server.services.database.connection, () => sweepFiles(server.services))
  expect(await exists()).toBe(true)
  await sweepFiles(server.services)
  expect(await exists()).toBe(false)
})

test('every process deletes temporary files of killed processes from its own directory', async () => {
  const folder = join(server.dataDir, 'files/tmp')
  await mkdir(folder, { recursive: true })
  const [killed, running] = [join(folder, 'killed.part'), join(folder, 'running.part')]
  for (const path of [killed, running]) await writeFile(path, 'bytes')
  await utimes(killed, new Date(), new Date(Date.now() - 2 * 3_600_000))
  const stop = startSpoolSweep(server.services, 20)
  await expect.poll(() => existsSync(killed)).toBe(false)
  stop()
  expect(existsSync(running)).toBe(true)
})
