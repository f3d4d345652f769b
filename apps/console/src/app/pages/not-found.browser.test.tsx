import { afterEach, expect, test } from 'vitest'
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
