import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { registerImports } from '#core/spreadsheet/import/import-job.ts'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
const JOB = '/api/v1/account/job'
const ACCESS = 'AccountAdministration:accountList:import'
let me: Caller
beforeAll(async () => {
  registerImports(server.services)
  me = await server.as(ACCESS)
})

const BOUNDARY = 'x-app'

/** Sends a table of 2,001 new App accounts and one invalid line. */
async function send(who: Caller, prefix: string, dryRun: '0' | '1') {
  const lines = Array.from({ length: 2001 }, (_, at) => `${prefix}_${at},`)
  const fields = Object.entries({ dryRun, update: '0' }).map(
    ([key, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n`
  const table = ['*账号,手机号', ...lines, 'bad_line,abc'].join('\n')
  const payload = `${fields.join('')}${head}Content-Type: text/csv\r\n\r\n${table}\r\n--${BOUNDARY}--\r\n`
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const url = '/api/v1/account/app/import'
  const answer = await who.inject({ method: 'POST', url, headers, payload })
  return answer.json().data.jobId as number
}
const readJob = async (jobId: number, who = me) => (await who.call('GET', `${JOB}/${jobId}`)).data
const start = (jobId: number, who = me) => who.call('POST', `${JOB}/import/${jobId}`)
const count = async (prefix: string) => {
  const { rows } = await server.db.execute<{ n: number }>(
    sql`select count(*)::int as n from app_accounts where account like ${`${prefix}\\_%`}`,
  )
  return rows[0]?.n
}

test('the dry run of a long table is a job with its own title, from which the caller can import the table once', async () => {
  const checkId = await send(me, 'cont', '1')
  expect(await readJob(checkId)).toMatchObject({ title: '校验导入文件：App账号', canImport: false })
  expect(await start(checkId)).toMatchObject({ msg: '该任务没有可导入的数据' })
  await server.services.jobs.drain()
  const checked = await readJob(checkId)
  expect(checked).toMatchObject({ state: 'done', canImport: true, file: { expired: false } })
  expect(checked.report).toMatchObject({ dryRun: true, created: 2001, failed: 1 })
  expect(await count('cont')).toBe(0)

  const { data } = await start(checkId)
  expect(data).toEqual({ jobId: expect.any(Number) })
  expect((await readJob(checkId)).canImport).toBe(false)
  expect(await start(checkId)).toMatchObject({ msg: '该文件已经导入或正在导入' })
  await server.services.jobs.drain()
  expect(await readJob(data.jobId)).toMatchObject({
    title: '导入App账号',
    canImport: false,
    report: { dryRun: false, created: 2001, failed: 1 },
    file: { expired: false },
  })
  expect(await count('cont')).toBe(2001)
  expect(await start(checkId)).toMatchObject({ msg: '该文件已经导入或正在导入' })
}, 60_000)

test('a cancelled import can be started again from its dry run', async () => {
  const checkId = await send(me, 'again', '1')
  await server.services.jobs.drain()
  const { data } = await start(checkId)
  await me.call('POST', `${JOB}/cancel/${data.jobId}`)
  expect((await readJob(checkId)).canImport).toBe(true)
  await server.db.execute(sql`delete from files where purpose = 'import'`)
  expect((await readJob(checkId)).canImport).toBe(false)
  expect(await start(checkId)).toMatchObject({ msg: '文件已超过保存期，请重新选择文件' })
}, 60_000)

test('only the account that started the dry run and still has the permission can import the table', async () => {
  const owner = await server.as(ACCESS)
  const checkId = await send(owner, 'own', '1')
  await server.services.jobs.drain()
  expect(await start(checkId)).toMatchObject({ msg: '任务不存在或已被删除' })
  await server.db.execute(sql`delete from account_roles where uid = ${owner.uid}`)
  server.services.sessions.forgetAll()
  expect((await readJob(checkId, owner)).canImport).toBe(false)
  expect((await start(checkId, owner)).code).toBe(501)
  expect(await count('own')).toBe(0)
}, 60_000)
