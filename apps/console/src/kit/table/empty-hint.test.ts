import { expect, test } from 'vitest'
import { buildEmptyHint } from './empty-hint.ts'

const empty = { hint: '新增套餐', needs: { access: 'packageList:add' }, otherwise: '请联系平台管理员' }

test('an empty list names the administrator to ask when the account cannot create rows', () => {
  expect(buildEmptyHint(empty, () => true)).toBe('新增套餐')
  expect(buildEmptyHint(empty, () => false)).toBe('请联系平台管理员')
  expect(buildEmptyHint({ hint: '新增套餐' }, () => false)).toBe('新增套餐')
})
