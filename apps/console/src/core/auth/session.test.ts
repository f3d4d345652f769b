import { beforeEach, expect, test, vi } from 'vitest'
import { can, canAll, canAny, mayCall, hasStoredButton, setPermissions } from './session.tsx'

const permissions = (buttons: string[]) => ({
  buttons,
  menus: [],
  roles: [],
  version: '1',
  homeUrl: '',
  seesAllTenants: true,
  switchedTenant: null,
  zone: 'Asia/Shanghai',
  theme: '' as const,
})

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
})

test('PERM-01 the wildcard includes all permissions in every check', () => {
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

test('a call that changes data of all tenants needs the permission and a data scope with all tenants', () => {
  const shared = { access: 'a:b:c', allTenants: true } as const
  setPermissions(permissions(['a:b:c']))
  expect([mayCall(shared), mayCall({ ...shared, access: 'a:b:d' })]).toEqual([true, false])
  setPermissions({ ...permissions(['*:*:*']), seesAllTenants: false })
  expect([mayCall(shared), mayCall({ access: 'a:b:c' })]).toEqual([false, true])
})

test('PERM-03 the button check reads the stored list without the wildcard', () => {
  setPermissions(permissions(['*:*:*', 'upgrade:ota:uploadComp']))
  expect(hasStoredButton('upgrade:ota:uploadComp')).toBe(true)
  expect(hasStoredButton('other:button:x')).toBe(false)
})
