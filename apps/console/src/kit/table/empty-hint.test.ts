import { expect, test } from 'vitest'
import { emptyHint } from './empty-hint.ts'

const empty = { hint: '新增套餐', needs: { access: 'packageList:add' }, otherwise: '请联系平台管理员' }

test('an empty list says whom to ask when the account cannot follow the hint', () => {
  expect(emptyHint(empty, () => true)).toBe('新增套餐')
  expect(emptyHint(empty, () => false)).toBe('请联系平台管理员')
  expect(emptyHint({ hint: '新增套餐' }, () => false)).toBe('新增套餐')
})
