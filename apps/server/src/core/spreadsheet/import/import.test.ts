import { Readable } from 'node:stream'
import { text, whole } from '@oms/contract/core/fields.ts'
import { type ImportReport, importReport } from '@oms/contract/core/transfer.ts'
import { limitTable } from '@oms/contract/core/upload.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { settings } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'
import { createUser } from '#core/auth/rights.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { openTable } from '#core/spreadsheet/table-reader.ts'
import { writeXlsx } from '#core/spreadsheet/formats/xlsx-writer.ts'
import { defineImport, registerImports } from './import.ts'

const server = useApp()
const schema = z.object({ name: text('名称', 20), size: whole('大小', 1, 9_999_999) })
const endpoint = {
  method: 'POST',
  path: '/api/v1/test/import',
  access: 'system:manager:import',
  body: 'multipart',
  file: limitTable(5000),
  input: z.object({ dryRun: z.enum(['0', '1']) }),
  result: importReport,
} as const
const taking = defineImport({
  kind: 'test',
  endpoint,
  name: '测试',
  schema,
  columns: ['name', ['size', { type: 'number' }]],
  required: ['name'],
  example: { name: '甲', size: 1 },
  prepare: async () => new Set<string>(),
  cells: (given) => ({ ...given, size: given.size || '1' }),
  async take({ db }, { name, size }, seen) {
    await db.insert(settings).values({ key: `test ${name} ${size}`, value: size })
    if (seen.has(name)) throw invalid('名称重复', 'name')
    seen.add(name)
    return 'created'
  },
})

let me: Caller
beforeAll(async () => {
  registerImports(server.services)
  me = await server.as('system:manager:import')
})
beforeEach(async () => void (await server.db.execute(sql`delete from settings where key like 'test %'`)))

async function send(csv: string | Buffer, dryRun: '0' | '1' = '0', name = 'a.csv') {
  const rights = await server.services.sessions.rightsOf(me.uid)
  if (!rights) throw new Error('no rights')
  const audit = vi.fn<Ctx['audit']>()
  const ctx = {
    services: server.services,
    user: createUser(rights, { id: '', tenantId: rights.tenantId }),
    db: server.db,
    now: new Date(),
    incoming: { name, stream: Readable.from([typeof csv === 'string' ? Buffer.from(csv) : csv]) },
    audit,
    recordIn: vi.fn<Ctx['recordIn']>(async () => {}),
  } as unknown as Ctx
  const answer = await taking.take(ctx, { dryRun })
  return { answer: answer as ImportReport & { jobId?: number }, audit }
}
const stored = () => server.db.$count(settings, sql`key like 'test %'`)
const many = (count: number) => `名称,大小\n${Array.from({ length: count }, (_, n) => `行${n},${n + 1}`).join('\n')}`
const jobOf = async (jobId: number | undefined) => (await me.call('GET', `/api/v1/account/job/${jobId}`)).data

const MIXED = '*名称,行号,大小\n甲,x,5\n,x,6\n乙,x,-1\n甲,x,7\n丙,x,\n'

test('IMPORT-01 an import writes valid lines and reports each invalid line with row and column', async () => {
  const { answer, audit } = await send(MIXED)
  expect(answer).toMatchObject({ total: 5, created: 2, updated: 0, failed: 3, dryRun: false })
  expect(answer.rows).toEqual([
    { row: 3, field: '名称', msg: '请输入名称' },
    { row: 4, field: '大小', msg: '大小不能小于1' },
    { row: 5, field: '名称', msg: '名称重复' },
  ])
  expect(await stored()).toBe(2)
  expect(audit).toHaveBeenCalledWith({ bizType: 'test', action: '导入测试：共5行，新增2，更新0，失败3' })
})

test('IMPORT-02 a dry run returns the report of an import and changes nothing', async () => {
  const { answer } = await send(MIXED, '1')
  expect(answer).toMatchObject({ total: 5, created: 2, failed: 3, dryRun: true })
  expect(await stored()).toBe(0)
})

test('IMPORT-01 all problems of a line are reported in column order, in the dry run and in the file of failed lines', async () => {
  const csv = '大小,名称\n-1,\n5,甲\n#N/A,\n'
  const problems = [
    { row: 2, field: '大小', msg: '大小不能小于1' },
    { row: 2, field: '名称', msg: '请输入名称' },
    { row: 4, field: '大小', msg: '单元格为错误值#N/A' },
    { row: 4, field: '名称', msg: '请输入名称' },
  ]
  expect((await send(csv, '1')).answer).toMatchObject({ created: 1, failed: 2, rows: problems })
  const { answer } = await send(csv)
  expect(answer).toMatchObject({ created: 1, failed: 2, rows: problems })
  const { body } = await me.inject({ method: 'GET', url: `/api/v1/file/${answer.file?.id}?download=1` })
  expect(body.trim().split('\r\n').slice(1)).toEqual([
    '2,大小、名称,大小：大小不能小于1；名称：请输入名称,-1,',
    '4,大小、名称,大小：单元格为错误值#N/A；名称：请输入名称,#待更正 #N/A,',
  ])
})

test.each([
  ['名称\n', '表格中没有数据'],
  ['大小\n5\n', '表格缺少列：名称，请使用导入模板'],
  ['名称,大寸\n甲,5\n', '表格中有无法识别的列：「大寸」，请使用导入模板'],
  ['名子,别的事\n甲,5\n', '「名子」、「别的事」；表格缺少列：名称'],
  ['名称,大小,大小\n甲,5,6\n', '表格中有重复的列：大小'],
  ['"名称\n甲\n', '第1行引号不正确'],
  [many(5001), '一次最多导入5000行'],
])('IMPORT-03 an invalid table is refused with a message', async (csv, message) => {
  await expect(send(csv)).rejects.toThrow(message)
  await expect(send('名称\n甲', '0', 'a.exe')).rejects.toThrow('文件格式不正确')
})

test.each([
  ['1.23457E+17', '科学计数法'],
  ['#N/A', '错误值#N/A'],
  ['#待更正 甲', '请更正'],
])('IMPORT-01 the cell %s of a CSV file is refused with its column', async (cell, message) => {
  const { answer } = await send(`名称,大小\n${cell},5\n`)
  expect(answer).toMatchObject({ created: 0, failed: 1 })
  expect(answer.rows[0]).toMatchObject({ row: 2, field: '名称', msg: expect.stringContaining(message) })
})

test('IMPORT-01 a line with cells beyond the titled columns is refused', async () => {
  const { answer } = await send('名称,大小\n甲,5\n乙,5,6\n')
  expect(answer).toMatchObject({ created: 1, failed: 1 })
  expect(answer.rows[0]?.msg).toContain('第3列没有列名')
})

test('IMPORT-04 a small import returns a file of its failed lines that can be corrected and imported', async () => {
  const { answer } = await send(MIXED)
  const url = `/api/v1/file/${answer.file?.id}?download=1`
  const { body } = await me.inject({ method: 'GET', url })
  const lines = body.trim().split('\r\n')
  expect(lines.slice(0, 3)).toEqual(
    ['\ufeff行号,问题列,原因,*名称,大小', '3,名称,请输入名称,,6', '4,大小,大小不能小于1,乙,-1'].map((line, at) =>
      at === 0 ? line.replace('\ufeff', '') : line,
    ),
  )
  const again = await send(body.replace(',,6', ',丁,6').replace(',-1', ',1').replace('甲,7', '戊,7'))
  expect(again.answer).toMatchObject({ total: 3, created: 3, failed: 0 })
  expect(await stored()).toBe(5)
})

test('IMPORT-04 the failed lines of a workbook are returned as a workbook that can be corrected and imported', async () => {
  const columns = ['名称', '大小'].map((title) => ({ key: title, title }))
  const workbook = async (rows: readonly Record<string, unknown>[], own: readonly { key: string; title: string }[]) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of writeXlsx(own, rows, { isForm: true })) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const given = await workbook(
    [
      { 名称: '0012', 大小: '0' },
      { 名称: '好', 大小: '5' },
    ],
    columns,
  )
  const { answer } = await send(given, '0', 'a.xlsx')
  expect(answer).toMatchObject({ created: 1, failed: 1 })
  const { rawPayload } = await me.inject({ method: 'GET', url: `/api/v1/file/${answer.file?.id}?download=1` })
  const { header, rows } = await openTable(rawPayload, 'failed.xlsx')
  const lines: string[][] = []
  for await (const { cells } of rows) lines.push([...cells])
  expect([header, ...lines]).toEqual([
    ['行号', '问题列', '原因', '名称', '大小'],
    ['2', '大小', '大小不能小于1', '0012', '0'],
  ])
  const corrected = lines.map((cells) => Object.fromEntries(header.map((title, at) => [title, cells[at]])))
  const again = await workbook(
    corrected.map((row) => ({ ...row, 大小: '7' })),
    header.map((title) => ({ key: title, title })),
  )
  expect((await send(again, '0', 'b.xlsx')).answer).toMatchObject({ total: 1, created: 1, failed: 0 })
  expect(await server.db.$count(settings, sql`key = 'test 0012 7'`)).toBe(1)
})

test('IMPORT-04 an import of more than 2,000 lines becomes a job with a report', async () => {
  const { answer } = await send(`${many(2500)}\n,3\n`)
  expect(answer).toEqual({ jobId: expect.any(Number) })
  await server.services.jobs.drain()
  const job = await jobOf(answer.jobId)
  expect(job).toMatchObject({ title: '导入测试', state: 'done', percent: 100, rows: 2501, file: { expired: false } })
  expect(job.report).toMatchObject({ total: 2501, created: 2500, failed: 1, rows: [{ row: 2502, field: '名称' }] })
  expect(await stored()).toBe(2500)
}, 60_000)

test('IMPORT-04 an import job returns a file of all failed lines that can be corrected and imported', async () => {
  const { answer } = await send(`${many(3000).replaceAll(/,(\d*[02468])$/gm, ',-$1')}\n=坏,0\n`)
  await server.services.jobs.drain()
  const { report, file } = await jobOf(answer.jobId)
  expect(report).toMatchObject({ total: 3001, created: 1500, failed: 1501 })
  expect(report.rows).toHaveLength(200)
  expect(file).toMatchObject({ name: `测试导入失败明细-${answer.jobId}.csv`, expired: false })
  const { body } = await me.inject({ method: 'GET', url: `/api/v1/file/${file.id}?download=1` })
  const lines = body.trim().split('\r\n')
  expect(lines).toHaveLength(1502)
  expect(lines.slice(0, 2)).toEqual(['行号,问题列,原因,名称,大小', '3,大小,大小不能小于1,行1,-2'])
  const again = await send(body.replaceAll(/,-(\d+)\r/g, ',$1\r').replaceAll(/,0\r/g, ',1\r'))
  expect(again.answer).toMatchObject({ total: 1501, created: 1501, failed: 0 })
  expect(await server.db.$count(settings, sql`key = 'test =坏 1'`)).toBe(1)
  const other = await server.as('system:manager:import')
  expect((await other.inject({ method: 'GET', url: `/api/v1/file/${file.id}` })).body).not.toContain('行号')
}, 60_000)

test('IMPORT-05 an import that is cancelled or loses its permission changes nothing', async () => {
  const { answer } = await send(many(4000))
  const stop = server.services.events.on('job', ({ state }) => {
    if (state === 'running') void me.call('POST', `/api/v1/account/job/cancel/${answer.jobId}`)
  })
  await server.services.jobs.drain()
  stop()
  expect(await jobOf(answer.jobId)).toMatchObject({ state: 'cancelled', report: null })
  expect(await stored()).toBe(0)

  const { answer: second } = await send(many(2001))
  await server.db.execute(sql`delete from account_roles where uid = ${me.uid}`)
  server.services.sessions.forgetAll()
  await server.services.jobs.drain()
  expect(await jobOf(second.jobId)).toMatchObject({ state: 'failed', error: '您已没有执行该任务的权限' })
  expect(await stored()).toBe(0)
}, 60_000)
