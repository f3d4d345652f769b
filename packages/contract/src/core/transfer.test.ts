import { expect, test } from 'vitest'
import { joinProblems } from './transfer.ts'

test('the text for several errors of a row names the field of each error that has a field', () => {
  const problems = [{ field: '姓名', msg: '请输入姓名' }, { msg: '第3列没有列名' }]
  expect(joinProblems(problems)).toBe('姓名：请输入姓名；第3列没有列名')
})
