import { beforeEach, expect, test, vi } from 'vitest'
import { can, canAll, canAny, mayPress, setPermissions } from './session.tsx'

const permissions = (buttons: string[]) => ({
  buttons,
  menus: [],
  roles: [],
  version: '1',
  homeUrl: '',
  visiting: null,
})

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
})

test('PERM-01 the wildcard stands for everything, any and all included', () => {
  setPermissions(permissions(['*:*:*']))
  expect([can('a:b:c'), canAny(['x:y:z']), canAll(['a:b:c', 'x:y:z'])]).toEqual([true, true, true])
  setPermissions(permissions(['a:b:c']))
  expect([can('a:b:c'), can('a:b:d'), canAny(['x:y:z', 'a:b:c']), canAll(['a:b:c', 'x:y:z'])]).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test('PERM-03 the button check reads the stored list, without the wildcard', () => {
  setPermissions(permissions(['*:*:*', 'upgrade:ota:uploadComp']))
  expect(mayPress('upgrade:ota:uploadComp')).toBe(true)
  expect(mayPress('other:button:x')).toBe(false)
})
