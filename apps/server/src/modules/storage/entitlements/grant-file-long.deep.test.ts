import { beforeAll, expect, test } from 'vitest'
import { registerImports } from '#core/spreadsheet/import/import.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { ENTITLEMENT_URL as URL, START_MS, useStorage } from '#test/fixtures/storage-fixture.ts'

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

/** Returns a file of more than 2,000 lines. Only the lines of the given serial numbers belong to a device. */
function longFile(sns: readonly string[]) {
  const unknown = Array.from({ length: 2001 }, (_, at) => `${sns[0]}-${at}`)
  return ['*序列号', ...sns, ...unknown].join('\n')
}

async function send(text: string, fields: Record<string, string | number> = {}) {
  const b = 'x-grant'
  const given = { packageId: packages['M1']!, reason: '批量赠送', dryRun: 0, ...fields }
  const parts = Object.entries(given).map(
    ([key, value]) => `--${b}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  )
  const head = `Content-Disposition: form-data; name="file"; filename="c.csv"\r\nContent-Type: text/csv`
  const headers = { 'content-type': `multipart/form-data; boundary=${b}` }
  const payload = `${parts.join('')}--${b}\r\n${head}\r\n\r\n${text}\r\n--${b}--\r\n`
  return (await clerk.inject({ method: 'POST', url: `${URL}/import`, headers, payload })).json()
}
/** Waits for the job of a sent file and returns the job. */
async function finish({ data }: { data: { jobId: number } }) {
  await app.services.jobs.drain()
  return (await clerk.call('GET', `${JOB}/${data.jobId}`)).data
}
const batchOf = async (id: number) => (await reviewer.call('GET', `${URL}/import/detail/${id}`)).data.row

test('a long file of many devices is submitted for approval with the figures of its dry run', async () => {
  const sns = [await newDevice(), await newDevice()]
  await limitTo(1)
  const file = longFile(sns)
  const unchecked = { code: 501, msg: '超过2000行的文件请先校验，校验完成后再提交审批' }
  expect(await send(file)).toMatchObject(unchecked)
  const dry = await finish(await send(file, { dryRun: 1 }))
  expect(dry).toMatchObject({
    title: '校验导入文件：云存开通',
    state: 'done',
    file: { expired: false },
    report: { dryRun: true, created: 2, failed: 2001 },
    answer: { plan: { fileDevices: 2003, approvalAbove: 1 } },
  })
  expect(await send(file, { reason: '另一原因' })).toMatchObject(unchecked)
  const { data } = await send(file)
  expect(data).toEqual({ grantFileId: expect.any(Number) })
  const valid = { devices: 2, copies: 2, listPrice: 1800 }
  const reasons = [{ msg: '序列号：设备不存在', lines: 2001 }]
  expect(await batchOf(data.grantFileId)).toMatchObject({
    ...valid,
    state: 0,
    lines: 2003,
    reason: '批量赠送',
    checked: { ...valid, lines: 2, failed: 2001, reasons, tenantCount: 1 },
  })
  expect(await shown(sns[0]!)).toEqual([])
  expect(await send(file)).toMatchObject({ msg: '文件已导入过' })
  const decision = { id: data.grantFileId, rev: 0, pass: 1, auditRemark: '已核对' }
  expect((await clerk.call('PUT', `${URL}/import/audit`, decision)).code).not.toBe(200)
  expect((await reviewer.call('PUT', `${URL}/import/audit`, decision)).code).toBe(200)
  await app.services.jobs.drain()
  expect(await batchOf(data.grantFileId)).toMatchObject({ state: 2, done: 2 })
  expect(await shown(sns[0]!)).toHaveLength(1)
}, 60_000)

test('a long file that needs no approval is imported by a job, once', async () => {
  const sns = [await newDevice(), await newDevice()]
  await limitTo(0)
  const file = longFile(sns)
  expect(await finish(await send(file))).toMatchObject({ state: 'done', report: { dryRun: false, created: 2 } })
  expect(await shown(sns[1]!)).toHaveLength(1)
  expect(await finish(await send(file))).toMatchObject({ state: 'failed', error: '文件已导入过' })
}, 60_000)
