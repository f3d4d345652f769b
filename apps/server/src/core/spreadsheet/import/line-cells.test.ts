import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readLineCells } from './line-cells.ts'

const columns = {
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
