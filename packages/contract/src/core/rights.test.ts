import { expect, test } from 'vitest'
import {
  hasAllPermissions,
  hasAllRoles,
  hasAnyPermission,
  hasAnyRole,
  hasButton,
  hasPermission,
  hasRole,
} from './rights.ts'

test('PERM-01 an account has a permission only through its exact name or the wildcard', () => {
  expect(hasPermission(['upgrade:ota:list'], 'upgrade:ota:list')).toBe(true)
  expect(hasPermission(['*:*:*'], 'anything:at:all')).toBe(true)
  for (const held of [[], ['upgrade:ota'], ['upgrade:*:*'], ['upgrade:ota:list2'], ['*']])
    expect(hasPermission(held, 'upgrade:ota:list')).toBe(false)
  expect(hasAnyPermission(['a:b:c'], ['x:y:z', 'a:b:c'])).toBe(true)
  expect(hasAnyPermission(['a:b:c'], ['x:y:z'])).toBe(false)
  expect(hasAllPermissions(['a:b:c'], ['a:b:c', 'x:y:z'])).toBe(false)
  expect(hasAllPermissions(['*:*:*'], ['a:b:c', 'x:y:z'])).toBe(true)
  expect(hasAllPermissions(new Set(['a:b:c', 'x:y:z']), ['a:b:c', 'x:y:z'])).toBe(true)
})

test('PERM-02 an account has a role through the code of the role or through the role `admin`', () => {
  expect(hasRole(['auditor'], 'auditor')).toBe(true)
  expect(hasRole(['admin'], 'auditor')).toBe(true)
  expect(hasRole(['auditor'], 'admin')).toBe(false)
  expect(hasAnyRole(['auditor'], ['editor', 'auditor'])).toBe(true)
  expect(hasAnyRole([], ['editor'])).toBe(false)
  expect(hasAllRoles(['auditor'], ['auditor', 'editor'])).toBe(false)
  expect(hasAllRoles(['admin'], ['auditor', 'editor'])).toBe(true)
})

test('PERM-03 the button check requires the exact permission and ignores the wildcard', () => {
  expect(hasButton(['upgrade:ota:uploadComp'], 'upgrade:ota:uploadComp')).toBe(true)
  expect(hasButton(['*:*:*'], 'upgrade:ota:uploadComp')).toBe(false)
})
