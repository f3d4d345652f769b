import { beforeEach, expect, test, vi } from 'vitest'
import {
  NO_BRAND,
  accessToRow,
  can,
  canAll,
  canAny,
  mayCall,
  hasExplicitPermission,
  loadCredentials,
  setPermissions,
} from './session.tsx'

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
  brand: NO_BRAND,
})

/** Restores a session that works in this tenant, as after a reload. */
function logInTo(ownerId: string) {
  vi.stubGlobal('document', {
    cookie: `oms_token=x; oms_uid=2; oms_account=x; oms_ownerId=${ownerId}; oms_ownerName=x`,
  })
  loadCredentials()
}

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
})

test('PERM-01 the wildcard permission passes every permission check', () => {
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

test('limited staff may create rows inside a tenant, but may not create or change rows of the platform', () => {
  const create = { access: 'a:b:add', createsSharedRows: true } as const
  const edit = { access: 'a:b:edit' }
  const allowed = () => [create, accessToRow(edit, true), accessToRow(edit, false)].map(mayCall)
  logInTo('1')
  setPermissions(permissions(['*:*:*']))
  expect(allowed()).toEqual([true, true, true])
  setPermissions({ ...permissions(['*:*:*']), seesAllTenants: false })
  expect(allowed()).toEqual([false, false, true])
  logInTo('7')
  expect(allowed()).toEqual([true, false, true])
})

test('PERM-03 the check of a button ignores the wildcard in the stored permissions', () => {
  setPermissions(permissions(['*:*:*', 'upgrade:ota:uploadComp']))
  expect(hasExplicitPermission('upgrade:ota:uploadComp')).toBe(true)
  expect(hasExplicitPermission('other:button:x')).toBe(false)
})
