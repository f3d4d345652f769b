import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MESSAGES } from '@oms/contract/core/envelope.ts'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LocalStore } from '#core/storage/local/local-store.ts'
import { DiskFull } from '#core/storage/store.ts'
import { useApp } from '#test/harness.ts'

const app = useApp()
const UPLOAD = '/api/v1/file/upload'

function multipart(bytes: Buffer) {
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n'
  const payload = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')])
  return { payload, headers: { 'content-type': 'multipart/form-data; boundary=b' } }
}

describe('low disk space', () => {
  test('FAULT an upload is refused with a message when disk space is low, and other calls succeed', async () => {
    const somebody = await app.by({ superAdmin: true })
    const roomy = app.services.files
    const nearlyFull = new LocalStore(join(app.dataDir, 'files'), Number.MAX_SAFE_INTEGER)
    Object.assign(app.services, { files: nearlyFull })
    const refused = await somebody.inject({ method: 'POST', url: UPLOAD, ...multipart(Buffer.alloc(1000)) })
    expect(refused.statusCode).toBe(200)
    expect(refused.json()).toMatchObject({ code: 501, data: null })
    expect(refused.json().msg).toMatch(/空间不足/)
    expect((await somebody.call('GET', '/api/v1/tenant/user/list?pageNum=1&pageSize=20')).code).toBe(200)
    const role = { roleName: '磁盘', roleCode: 'disk' }
    expect((await somebody.call('POST', '/api/v1/tenant/role', role)).code).toBe(200)
    Object.assign(app.services, { files: roomy })
    const taken = await somebody.inject({ method: 'POST', url: UPLOAD, ...multipart(Buffer.alloc(1000)) })
    expect(taken.json()).toMatchObject({ code: 200 })
  })
})

describe('a database that cannot write', () => {
  const tables = () =>
    app.db.execute<{ name: string }>(sql`select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables`)
  /** Makes every write fail with PostgreSQL's error for a full disk. */
  async function fill() {
    await app.db.execute(sql`create or replace function disk_is_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
    for (const { name } of (await tables()).rows)
      await app.db.execute(
        sql`create trigger disk_is_full before insert or update or delete on ${sql.raw(name)}
            for each statement execute function disk_is_full()`,
      )
  }
  const empty = () => app.db.execute(sql`drop function disk_is_full cascade`)

  test('FAULT writes are refused with a message while the database cannot write, and reads succeed', async () => {
    const somebody = await app.by({ superAdmin: true })
    const role = { roleName: '满盘', roleCode: 'full_disk' }
    await fill()
    const write = () => somebody.inject({ method: 'POST', url: '/api/v1/tenant/role', payload: role })
    for (const reply of [await write(), await write()]) {
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toEqual({ code: 501, msg: MESSAGES.full, data: null })
    }
    for (const list of ['/api/v1/tenant/user/list', '/api/v1/device/ota', '/api/v1/sys/operlog/page'])
      expect((await somebody.call('GET', `${list}?pageNum=1&pageSize=20`)).code, list).toBe(200)
    const wrong = { account: somebody.account, pswdMd5: 'f'.repeat(32) }
    const login = await app.stranger().inject({ method: 'POST', url: '/api/v1/account/login', payload: wrong })
    expect(login.json().msg).toMatch(/[\u4e00-\u9fff]/)
    expect(login.statusCode).toBeLessThan(500)
    await empty()
    expect((await write()).json()).toMatchObject({ code: 200 })
  })
})

/** Folder for a small file system. Only root may mount a file system, and some containers forbid mounting. */
const small = mkdtempSync(join(tmpdir(), 'oms-full-'))
const mayMount = tryMount()
function tryMount() {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', small], { stdio: 'ignore' })
    execFileSync('umount', [small], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.runIf(mayMount)('a full disk', () => {
  beforeEach(() => void execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', small]))
  afterEach(() => {
    execFileSync('umount', [small])
    rmSync(small, { recursive: true, force: true })
  })

  test('FAULT a file that exceeds the free disk space is refused and leaves nothing; a smaller file is stored', async () => {
    const store = new LocalStore(join(small, 'files'), 0)
    async function* bytes(count: number) {
      for (let n = 0; n < count; n += 1) yield Buffer.alloc(256 * 1024, n)
    }
    await expect(store.put(bytes(20))).rejects.toThrow(DiskFull)
    expect(readdirSync(join(small, 'files/tmp'))).toEqual([])
    const { sha256, size } = await store.put(bytes(2))
    expect(await store.stat(sha256)).toEqual({ size })
  })
})
