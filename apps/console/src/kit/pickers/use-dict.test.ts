import { expect, test } from 'vitest'
import { indexDict } from './use-dict.ts'

const dict = indexDict([
  { dictLabel: '启用', dictValue: '1', listClass: 'success', cssClass: '', status: 1 },
  { dictLabel: '停用', dictValue: '0', listClass: '', cssClass: '', status: 0 },
])

test('DICT-02 finds an entry by number or text and does not offer disabled entries', () => {
  expect(dict.labelOf(1)).toBe('启用')
  expect(dict.entryOf('1')?.listClass).toBe('success')
  expect(dict.labelOf(0)).toBe('停用')
  expect(dict.labelOf(7)).toBe('7')
  expect(dict.labelOf(null)).toBe('')
  expect(dict.options).toEqual([{ value: '1', label: '启用' }])
})
