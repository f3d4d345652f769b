import type { JobRow } from '@oms/contract/system/job.ts'
import { expect, test } from 'vitest'
import { describeImportCounts, describeJobEnd, describeJobState, joinRowProblems } from './job-words.ts'

const job = (over: Partial<JobRow>): JobRow => ({
  jobId: 1,
  title: '导出客户',
  state: 'done',
  percent: 100,
  error: '',
  rows: null,
  file: null,
  report: null,
  createTime: '2026-01-01 00:00:00',
  finishTime: null,
  ...over,
})
const file = { id: 'a', name: '客户.xlsx', size: 1, expired: false }
const report = { total: 3, created: 1, updated: 1, failed: 1, rows: [], dryRun: false }

test('the notification of a finished job describes the result and sets its own duration', () => {
  expect(describeJobEnd(job({ rows: 12_345, file }))).toEqual({
    level: 'success',
    title: '导出客户完成',
    description: '共 12,345 条，文件 客户.xlsx 保留 7 天',
    duration: 0,
  })
  expect(describeJobEnd(job({ rows: 0 }))).toMatchObject({ description: '共 0 条', duration: 8 })
  expect(describeJobEnd(job({ file: { ...file, expired: true } })).description).toBe('已完成')
  expect(describeJobEnd(job({ report })).description).toBe('新增 1 行，更新 1 行，1 行有问题')
})

const counts = { total: 3, created: 2, updated: 0, rows: [] }

test('the notification of a finished dry run says that nothing was imported, and stays until the user closes it', () => {
  const title = '校验导入文件：设备'
  const good = job({ title, report: { ...counts, failed: 0, dryRun: true } })
  expect(describeJobEnd(good)).toEqual({
    level: 'success',
    title: '校验完成，尚未导入',
    description: '校验导入文件：设备，将新增 2 行，0 行有问题',
    duration: 0,
  })
  expect(describeJobState(good)).toEqual({ text: '已校验', color: 'processing' })
  expect(describeJobEnd(job({ title, report: { ...counts, failed: 1, dryRun: true } })).level).toBe('warning')
})

test('an import or a dry run with refused rows is shown as a warning', () => {
  const mixed = job({ title: '导入设备', report: { ...counts, failed: 1, dryRun: false } })
  expect(describeJobEnd(mixed)).toMatchObject({ level: 'warning', title: '导入设备完成' })
  expect(describeJobState(mixed)).toEqual({ text: '已完成', color: 'warning' })
  expect(describeJobState(job({}))).toEqual({ text: '已完成', color: 'success' })
})

test('the notification of a failed job shows the reason and stays; that of a cancelled job closes by itself', () => {
  expect(describeJobEnd(job({ state: 'failed', error: '权限已被收回' }))).toEqual({
    level: 'error',
    title: '导出客户失败',
    description: '权限已被收回',
    duration: 0,
  })
  expect(describeJobEnd(job({ state: 'cancelled' }))).toEqual({
    level: 'info',
    title: '导出客户已取消',
    description: '任务没有完成',
    duration: 8,
  })
})

test('the text of an import omits the counts of created and updated rows that are zero', () => {
  expect(describeImportCounts({ created: 2, updated: 0, failed: 1 }, '将')).toBe('将新增 2 行，1 行有问题')
  expect(describeImportCounts({ created: 0, updated: 3, failed: 0 }, '已')).toBe('已更新 3 行，0 行有问题')
  expect(describeImportCounts({ created: 0, updated: 0, failed: 4 }, '将')).toBe('4 行有问题')
})

test('a refused row with several problems is listed once with all its problems', () => {
  const rows = [
    { row: 2, field: '姓名', msg: '请输入姓名' },
    { row: 2, field: '手机号', msg: '手机号格式不正确' },
    { row: 5, msg: '第3列没有列名' },
  ]
  expect(joinRowProblems(rows)).toEqual([
    { row: 2, text: '姓名：请输入姓名；手机号：手机号格式不正确' },
    { row: 5, text: '第3列没有列名' },
  ])
})
