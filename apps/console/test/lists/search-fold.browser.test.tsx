import { Navigate, Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import AdStatPage from '#modules/advertise/statistics/statistics.page.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { waitUntil } from '#test/form-cases/page-driver.ts'
import { openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

/** Opens the advertising statistics with a URL query, in a window with four filters in each row. */
async function openStatistics(query: string) {
  await page.viewport(1440, 900)
  createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(
    <Routes>
      <Route path="/statistics" element={<AdStatPage />} />
      <Route path="*" element={<Navigate to={`/statistics${query}`} replace />} />
    </Routes>,
  )
  await waitUntil(() => expect(foldText()).toContain('更多筛选'))
}
const foldText = () => document.querySelector('.kit-fold')?.textContent

/** Returns the labels of the visible filters. */
const shownFilters = () =>
  [...document.querySelectorAll<HTMLElement>('.kit-search label')].flatMap((label) =>
    label.offsetParent === null ? [] : (label.textContent ?? ''),
  )

test('when the URL sets a collapsed filter, the opened page shows this filter and no other collapsed filter', async () => {
  await openStatistics('')
  const first = shownFilters()
  expect(first).not.toContain('标签')
  tab?.close()
  await openStatistics('?tag=A&programId=7')
  expect(shownFilters().toSorted()).toEqual([...first, '标签'].toSorted())
  expect(document.querySelector<HTMLInputElement>('.kit-search input[id$=_tag]')?.value).toBe('A')
})

test('a used filter stays visible as a chip when the search form collapses, until the chip is removed', async () => {
  await openStatistics('?tag=A')
  press('更多筛选')
  await waitUntil(() => expect(foldText()).toBe('收起'))
  press('收起')
  const findRemoval = () => document.querySelector<HTMLElement>('.kit-chip > [aria-label="移除筛选条件"]')
  await waitUntil(() => expect(findRemoval()).not.toBeNull())
  expect(shownFilters()).toContain('标签')
  findRemoval()?.click()
  await waitUntil(() => expect(shownFilters()).not.toContain('标签'))
})

function press(text: string) {
  const buttons = [...document.querySelectorAll<HTMLElement>('.kit-search button')]
  buttons.find(({ textContent }) => textContent?.replaceAll(' ', '') === text)?.click()
}
