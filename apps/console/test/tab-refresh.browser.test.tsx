import { useLocation } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import { isTextShown, pressButton, waitUntil } from '#test/form-cases/page-driver.ts'
import { changeTabs, tabs } from '#app/tabs/tab-state.ts'
import { markDirty, NO_TABS, showTab } from '#app/tabs/tab-store.ts'
import { useTabActions } from '#app/tabs/use-tab-actions.ts'
import { openTab } from './browser-harness.tsx'

const KEY = '/system/manager'
let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  changeTabs(() => NO_TABS)
})

function Page() {
  const actions = useTabActions()
  return (
    <>
      <button type="button" onClick={() => void actions.requestRefresh(KEY)}>
        刷新页面
      </button>
      <output>{useLocation().pathname}</output>
    </>
  )
}
const address = () => document.querySelector('output')?.textContent

test('a refresh of a tab with unsaved content asks first, and a refresh of another tab does not ask', async () => {
  changeTabs(() => markDirty(showTab(NO_TABS, { key: KEY, url: KEY, title: '用户' }), KEY, 'secret', true))
  tab = openTab(<Page />)
  await waitUntil(() => pressButton('刷新页面'))
  await waitUntil(() => expect(isTextShown('「用户」有未保存的内容，刷新后将丢失。')).toBe(true))
  expect(address()).toBe('/')
  pressButton('取消')
  await waitUntil(() => expect(isTextShown('「用户」有未保存的内容，刷新后将丢失。')).toBe(false))
  expect([address(), tabs.get().list.at(-1)?.dirty]).toEqual(['/', ['secret']])
  changeTabs((now) => markDirty(now, KEY, 'secret', false))
  pressButton('刷新页面')
  await waitUntil(() => expect(address()).toBe(`/redirect${KEY}`))
})
