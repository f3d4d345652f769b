import { beforeAll, expect, test } from 'vitest'
import { registerImports } from '#core/spreadsheet/import/import-job.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { ENTITLEMENT_URL as URL, START_MS, useStorage } from '../storage-fixture.ts'

const app = useApp()
const { setNow, call, packages, newDevice, shown } = useStorage(app)
const ACTIONS = ['list', 'query', 'open', 'import', 'audit'].map((action) => `ossManage:deviceList:${action}`)
const JOB = '/api/v1/account/job'
let clerk: Caller
let reviewer: Caller

beforeAll(async () => {
  registerImports(app.services)
  setNow(START_MS)
  clerk = await app.as(...ACTIONS)
  reviewer = await app.as(...ACTIONS)
})

const limitTo = async (twoPersonAbove: number) => {
  const { data } = await call('GET', '/api/v1/oss/setting')
  await call('PUT', '/api/v1/oss/setting', { ...data, twoPersonAbove })
}

/** Checks a file of more than 2,000 lines, two of them with a device, and returns the job of the dry run. */
async function check(sns: readonly string[]) {
  const b = 'x-grant'
  const fields = { packageId: packages['M1']!, reason: '批量赠送', dryRun: 1 }
  const parts = Object.entries(fields).map(
    ([key, value]) => `--${b}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  )
  const unknown = Array.from({ length: 2001 }, (_, at) => `${sns[0]}-${at}`)
  const text = ['*序列号', ...sns, ...unknown].join('\n')
  const head = `Content-Disposition: form-data; name="file"; filename="c.csv"\r\nContent-Type: text/csv`
  const headers = { 'content-type': `multipart/form-data; boundary=${b}` }
  const payload = `${parts.join('')}--${b}\r\n${head}\r\n\r\n${text}\r\n--${b}--\r\n`
  const reply = await clerk.inject({ method: 'POST', url: `${URL}/import`, headers, payload })
  await app.services.jobs.drain()
  return reply.json().data.jobId as number
}
const readJob = async (id: number) => (await clerk.call('GET', `${JOB}/${id}`)).data
const start = (id: number) => clerk.call('POST', `${JOB}/import/${id}`)
const batchOf = async (id: number) => (await reviewer.call('GET', `${URL}/import/detail/${id}`)).data.row

test('a checked file of many devices continues in the list of jobs as a request for approval', async () => {
  const sns = [await newDevice(), await newDevice()]
  await limitTo(1)
  const checkId = await check(sns)
  expect(await readJob(checkId)).toMatchObject({
    canImport: true,
    report: { dryRun: true, created: 2, failed: 2001, needsApproval: true },
  })
  const { data } = await start(checkId)
  expect(data).toEqual({ approvalId: expect.any(Number) })
  const valid = { devices: 2, copies: 2, listPrice: 1800 }
  const reasons = [{ msg: '序列号：设备不存在', lines: 2001 }]
  expect(await batchOf(data.approvalId)).toMatchObject({
    ...valid,
    state: 0,
    lines: 2003,
    reason: '批量赠送',
    checked: { ...valid, lines: 2, failed: 2001, reasons, tenantCount: 1 },
  })
  expect(await shown(sns[0]!)).toEqual([])
  expect((await readJob(checkId)).canImport).toBe(false)
  expect(await start(checkId)).toMatchObject({ code: 501, msg: '该文件已经导入或正在导入' })
  const decision = { id: data.approvalId, rev: 0, pass: 1, auditRemark: '已核对' }
  expect((await clerk.call('PUT', `${URL}/import/audit`, decision)).code).not.toBe(200)
  expect((await reviewer.call('PUT', `${URL}/import/audit`, decision)).code).toBe(200)
  await app.services.jobs.drain()
  expect(await batchOf(data.approvalId)).toMatchObject({ state: 2, done: 2 })
  expect(await shown(sns[0]!)).toHaveLength(1)
}, 60_000)

test('a checked file that needs no approval continues in the list of jobs as an import, once', async () => {
  const sns = [await newDevice(), await newDevice()]
  await limitTo(0)
  const checkId = await check(sns)
  const { data } = await start(checkId)
  expect(data).toEqual({ jobId: expect.any(Number) })
  await app.services.jobs.drain()
  expect(await readJob(data.jobId)).toMatchObject({ state: 'done', report: { dryRun: false, created: 2 } })
  expect(await shown(sns[1]!)).toHaveLength(1)
  expect((await start(checkId)).msg).toBe('该文件已经导入或正在导入')
}, 60_000)
