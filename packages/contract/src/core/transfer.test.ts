import { expect, test } from 'vitest'
import { joinProblems } from './transfer.ts'

test('the text for several problems of a line names the field of each problem that has a field', () => {
  const problems = [{ field: '姓名', msg: '请输入姓名' }, { msg: '第3列没有列名' }]
  expect(joinProblems(problems)).toBe('姓名：请输入姓名；第3列没有列名')
})
