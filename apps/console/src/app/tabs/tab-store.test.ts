import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HOME } from '#core/routing/addresses.ts'
import {
  closeTabs,
  isTabDirty,
  listKeysLeftOf,
  MAX_LIVE,
  markDirty,
  NO_TABS,
  refreshTab,
  filterPermittedTabs,
  listKeysRightOf,
  showTab,
  type Tabs,
  findTab,
  renameTab,
} from './tab-store.ts'

const open = (tabs: Tabs, key: string) => showTab(tabs, { key, url: `${key}?pageNum=1`, title: key })
const opened = (...keys: string[]) => keys.reduce(open, open(NO_TABS, HOME))

test('LAYOUT-02 the tab of the home page is always first and cannot be closed', () => {
  const tabs = closeTabs(opened('/a', '/b'), [HOME, '/a', '/b'])
  expect(tabs.list.map(({ key }) => key)).toEqual([HOME])
  expect(tabs.active).toBe(HOME)
})

test('closing the active tab activates the previously active tab', () => {
  const tabs = closeTabs(open(opened('/a', '/b', '/c'), '/a'), ['/a'])
  expect(tabs.active).toBe('/c')
})

test.each([
  ['its right neighbour', ['/a', '/b', '/c'], '/b', '/c'],
  ['then its left one', ['/a', '/b'], '/b', '/a'],
])('closing the active tab without visited tabs activates %s', (_, keys, shownKey, next) => {
  const tabs = { ...opened(...keys), active: shownKey, visits: [shownKey] }
  expect(closeTabs(tabs, [shownKey]).active).toBe(next)
})

test('LAYOUT-06 opening the same page with another filter keeps one tab and stores the new URL', () => {
  const tabs = showTab(opened('/a'), { key: '/a', url: '/a?pageNum=2', title: '/a' })
  expect(tabs.list).toHaveLength(2)
  expect(findTab(tabs, '/a')?.url).toBe('/a?pageNum=2')
})

test('a reload restores the title that a page set for its tab', () => {
  const named = renameTab(opened('/a'), '/a', '编辑 1.2.3')
  const tabs = filterPermittedTabs(named.list, () => '编辑固件版本')
  expect(tabs.list.map(({ title }) => title)).toEqual(['首页', '编辑 1.2.3'])
})

test('listKeysLeftOf and listKeysRightOf return the tabs on each side of a tab', () => {
  const tabs = opened('/a', '/b', '/c')
  expect(listKeysLeftOf(tabs, '/b')).toEqual(['/a'])
  expect(listKeysRightOf(tabs, '/b')).toEqual(['/c'])
  expect(listKeysLeftOf(tabs, '/a')).toEqual([])
  expect(listKeysRightOf(tabs, '/c')).toEqual([])
})

test('LAYOUT-04 a reload restores only permitted tabs, with the current titles', () => {
  const tabs = filterPermittedTabs(opened('/a', '/b').list, (url) => (url.startsWith('/a') ? '新标题' : undefined))
  expect(tabs.list.map(({ title }) => title)).toEqual(['首页', '新标题'])
})

const key = fc.integer({ min: 0, max: 20 }).map((n) => (n === 0 ? HOME : `/p${n}`))
const step = fc.oneof(
  { weight: 5, arbitrary: key.map((k) => (tabs: Tabs) => open(tabs, k)) },
  { weight: 2, arbitrary: key.map((k) => (tabs: Tabs) => closeTabs(tabs, [k])) },
  { weight: 1, arbitrary: key.map((k) => (tabs: Tabs) => refreshTab(tabs, k)) },
  fc.record({ k: key, on: fc.boolean() }).map(
    ({ k, on }) =>
      (tabs: Tabs) =>
        markDirty(tabs, k, 'form', on),
  ),
  fc.constant((tabs: Tabs) =>
    closeTabs(
      tabs,
      tabs.list.map((tab) => tab.key).filter((k) => k !== tabs.active),
    ),
  ),
  fc.constant((tabs: Tabs) =>
    closeTabs(
      tabs,
      tabs.list.map((tab) => tab.key),
    ),
  ),
)

test('the tabs stay consistent for any sequence of open, close, refresh and unsaved changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      let tabs = open(NO_TABS, HOME)
      for (const go of steps) {
        tabs = go(tabs)
        const keys = tabs.list.map((tab) => tab.key)
        expect(keys[0]).toBe(HOME)
        expect(new Set(keys).size).toBe(keys.length)
        expect(keys).toContain(tabs.active)
        for (const each of [...tabs.visits, ...tabs.live]) expect(keys).toContain(each)
        expect(new Set(tabs.live).size).toBe(tabs.live.length)
        const idle = tabs.live.filter((k) => k !== tabs.active && !isTabDirty(findTab(tabs, k)!))
        expect(Math.min(idle.length, tabs.live.length - MAX_LIVE)).toBeLessThanOrEqual(0)
      }
    }),
  )
})

test('a page with unsaved changes is never unmounted to save memory', () => {
  const dirty = markDirty(opened('/form'), '/form', 'f', true)
  const many = Array.from({ length: 30 }, (_, i) => `/p${i}`).reduce(open, dirty)
  expect(many.live).toContain('/form')
  expect(many.live).toHaveLength(MAX_LIVE)
})
