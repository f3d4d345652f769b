import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { openTab } from '#test/browser-harness.tsx'
import { ForbiddenPage, NotFound } from './not-found.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

test.each([
  { shown: <ForbiddenPage />, code: '403', heading: '您没有权限！' },
  { shown: <NotFound />, code: '404', heading: '错误页面' },
])('the error page $code shows a heading and the code', async ({ shown, code, heading }) => {
  tab = openTab(shown)
  await expect.element(page.getByRole('heading', { name: heading })).toBeVisible()
  await expect.element(page.getByText(code, { exact: true })).toBeVisible()
})

test('the report of a missing page contains the address', async () => {
  const copied: string[] = []
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text))
  tab = openTab(<NotFound />)
  await page.getByRole('button', { name: '复制错误报告' }).click()
  await expect.poll(() => copied.join()).toContain(`网址：${location.href}`)
})
