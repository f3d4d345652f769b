import { expect, test } from 'vitest'
import { buildLoginPath, findSafeReturnPath } from './addresses.ts'

test.each([
  ['/system/manager?pageNum=2#x', '/system/manager?pageNum=2#x'],
  ['//evil.example/a', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/login?redirect=/a', '/'],
  [`/${'a'.repeat(2000)}`, '/'],
  ['/..//evil.example', '/'],
  [null, '/'],
])('ROUTE-09 after the login, the return path %s leads to %s', (wanted, expected) => {
  expect(findSafeReturnPath(wanted)).toBe(expected)
})

test('GUARD-01 the login page URL contains the return path', () => {
  expect(buildLoginPath('/device/_manage?a=1')).toBe('/login?redirect=%2Fdevice%2F_manage%3Fa%3D1')
  expect(buildLoginPath('/')).toBe('/login')
})
