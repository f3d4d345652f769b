import type { MenuNode } from '@oms/contract/account/perms.ts'
import { expect, test } from 'vitest'
import { findFirstChild, buildMenuEntries, findTrail } from './menu-tree.ts'
import { matchRoute } from './screen-match.ts'

const DEFAULTS = { id: 1, parentId: 0, icon: '', sort: 1, keepAlive: 1, isFrame: 0, query: '', activeMenu: '' }
const node = (name: string, url: string, children: MenuNode[] = [], visible = 1): MenuNode => ({
  ...DEFAULTS,
  name,
  url,
  visible,
  children,
  type: children.length ? 'M' : 'C',
})

const MENUS = [
  node('个人', '/account', [node('资料', '/account/profile'), node('会话', '/account/sessions')]),
  node('未知', '/x', [node('没有的页面', '/x/nope')]),
  node('隐藏', '/account/mfa', [], 0),
  node('大小写', '/account/PROFILE'),
]

test('LAYOUT-01 the home page is the first menu entry; hidden, unknown and empty entries are omitted', () => {
  expect(buildMenuEntries(MENUS).map(({ name }) => name)).toEqual(['首页', '个人'])
})

test('ROUTE-10 the URL of a menu directory redirects to the first page in the directory', () => {
  expect(findFirstChild(buildMenuEntries(MENUS), '/account')).toBe('/account/profile')
  expect(findFirstChild(buildMenuEntries(MENUS), '/nothing')).toBeUndefined()
})

test('the breadcrumb is built from the menus', () => {
  expect(findTrail(buildMenuEntries(MENUS), '/account/sessions')?.above.map(({ name }) => name)).toEqual(['个人'])
})

test('ROUTE-08 a URL with an invalid path parameter matches no page; path and declared parameters identify a page', () => {
  const screens = [
    { path: '/dict/:id', params: { id: /^\d+$/ } },
    { path: '/ticket', identity: ['id'] },
  ].map((each) => ({
    ...each,
    path: each.path as '/x',
    title: 't',
    access: 'session',
    page: async () => ({ default: () => null }),
  }))
  expect(matchRoute('/dict/7?pageNum=2', screens)?.key).toBe('/dict/7')
  expect(matchRoute('/dict/7a', screens)).toBeUndefined()
  expect(matchRoute('/ticket?id=3&tab=1', screens)?.key).toBe('/ticket?id=3')
  expect(matchRoute('/DICT/7', screens)).toBeUndefined()
})
