import { Navigate, Route, Routes } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import AdStatPage from '#modules/advertise/statistics/statistics.page.tsx'
import { createContractServer } from '#app/form-cases/contract-server.ts'
import { waitUntil } from '#app/form-cases/page-driver.ts'
import { openTab } from './browser-harness.tsx'

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
  await waitUntil(() => expect(foldText()).toContain('展开'))
}
const foldText = () => document.querySelector('.kit-fold')?.textContent

test.each([
  ['the default dates, which are always visible', '', '展开'],
  ['a visible filter', '?programId=7', '展开'],
  ['a collapsed filter', '?tag=A&programId=7', '展开1'],
])('the button 展开 counts the active filters of collapsed rows: %s', async (_, query, text) => {
  await openStatistics(query)
  expect(foldText()).toBe(text)
})
