import { MAX_REPORTED_REASONS } from '@oms/contract/core/transfer.ts'
import { expect, test } from 'vitest'
import { ReasonCounts } from './failure-file.ts'

test('counts each refused line once, by its first problem, most frequent first', () => {
  const counts = new ReasonCounts()
  counts.add([{ field: '份数', msg: '份数应为1～36的整数' }])
  counts.add([
    { field: '序列号', msg: '设备不存在' },
    { field: '通道', msg: '通道号应为0～1' },
  ])
  counts.add([{ field: '序列号', msg: '设备不存在' }])
  expect(counts.list()).toEqual([
    { msg: '序列号：设备不存在', lines: 2 },
    { msg: '份数：份数应为1～36的整数', lines: 1 },
  ])
})

test('counts problems that name the number of another line as one reason', () => {
  const counts = new ReasonCounts()
  for (const row of [2, 5, 13]) counts.add([{ msg: `与第${row}行的序列号和通道重复` }])
  expect(counts.list()).toEqual([{ msg: '与其他行的序列号和通道重复', lines: 3 }])
})

test('joins rare reasons, so that the list stays short and its sum is the number of refused lines', () => {
  const counts = new ReasonCounts()
  for (let at = 0; at < 3000; at += 1) counts.add([{ msg: `没有名为「${at}」的型号` }])
  counts.add([{ msg: '设备不存在' }])
  const listed = counts.list()
  expect(listed).toHaveLength(MAX_REPORTED_REASONS)
  expect(listed.at(-1)!.msg).toBe('其他原因')
  expect(listed.reduce((sum, { lines }) => sum + lines, 0)).toBe(3001)
})
