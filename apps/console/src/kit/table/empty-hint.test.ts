import { expect, test } from 'vitest'
import { buildEmptyHint } from './empty-hint.ts'

const empty = { hint: '新增套餐', needs: { access: 'packageList:add' }, otherwise: '请联系平台管理员' }

test('an empty list names the administrator to ask when the account cannot create rows', () => {
  expect(buildEmptyHint(empty, () => true, false)).toBe('新增套餐')
  expect(buildEmptyHint(empty, () => false, false)).toBe('请联系平台管理员')
  expect(buildEmptyHint({ hint: '新增套餐' }, () => false, false)).toBe('新增套餐')
})

test('platform staff are not told to ask the platform', () => {
  const both = { ...empty, forPlatform: '请有权限的同事新增套餐' }
  expect(buildEmptyHint(both, () => false, true)).toBe('请有权限的同事新增套餐')
  expect(buildEmptyHint(both, () => false, false)).toBe('请联系平台管理员')
  expect(buildEmptyHint(both, () => true, true)).toBe('新增套餐')
  expect(buildEmptyHint(empty, () => false, true)).toBe('请联系平台管理员')
})
