import { randomBytes } from 'node:crypto'
import { day } from '@oms/contract/core/fields.ts'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { CELL_PROBLEMS } from '#core/spreadsheet/columns.ts'
import { buildFailureCells, readLineCells } from './lines.ts'

const columns = {
  schema: z.object({ day: day('日期') }),
  header: ['序列号', '备注', '密钥'],
  fields: ['sn', 'remark', 'key'],
  secret: ['key'],
  secretKey: randomBytes(32),
}

test('the cells of an import lose invisible characters, and keep their line breaks and secrets', () => {
  const cells = ['\uFEFFSN\u200B1 ', ' 一楼\n门口', 'a\u200Bb']
  expect(readLineCells({ row: 2, cells }, columns).given).toEqual({ sn: 'SN1', remark: '一楼\n门口', key: 'a\u200Bb' })
})

test('a cell that contains only invisible characters is empty', () => {
  const { filled, problems } = readLineCells({ row: 2, cells: ['\u200B', ' ', '', '\u2060'] }, columns)
  expect([[...filled], problems]).toEqual([[], []])
})

test('a date is refused in a text column and read in a column of dates', () => {
  const own = { ...columns, header: ['序列号', '日期'], fields: ['sn', 'day'] }
  const row = {
    row: 2,
    cells: ['2026-03-04', '2026-03-05'],
    problems: new Map([0, 1].map((at) => [at, CELL_PROBLEMS.date])),
  }
  expect(readLineCells(row, own)).toMatchObject({
    given: { day: '2026-03-05' },
    problems: [{ message: expect.stringContaining('“文本”格式'), data: { field: 'sn' } }],
  })
  expect(buildFailureCells(row, own)).toEqual(['#待更正 2026-03-04', '2026-03-05'])
})
