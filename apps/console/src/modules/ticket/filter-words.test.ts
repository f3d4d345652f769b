import { expect, test } from 'vitest'
import { describeFilters } from './filter-words.ts'

const names = { handler: '客服陈', lastHandler: '', version: 'C10 1.1.0' }
const describe = (values: Record<string, unknown>) =>
  describeFilters(values, { names, partLabel: (part, option) => `${part}${option}` })

test('the list describes a filter that a chart set with names and labels instead of codes', () => {
  expect(describe({ open: '1', handlerId: '2' })).toEqual(['未关闭', '处理人员：客服陈'])
  expect(describe({ verCode: '1200', merged: '0' })).toEqual(['固件：C10 1.1.0', '未合并'])
  expect(describe({ verCode: 0 })).toEqual(['固件：未上报版本'])
  expect(describe({ hardware: '1', weekday: '3', hour: '9' })).toEqual(['硬件问题：hardware1', '周三', '9点'])
})

test('the list describes a range of ages with the labels of the statistics', () => {
  expect(describe({ minAge: '0', maxAge: '1' })).toEqual(['未关闭时长：0-1 天'])
  expect(describe({ minAge: '15' })).toEqual(['未关闭时长：15 天以上'])
})
