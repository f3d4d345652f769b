import { useLocation } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import ActivationPage from '#modules/storage/cards/activation.page.tsx'
import { openTab } from './browser-harness.tsx'
import { contractServer } from '#app/form-cases/contract-server.ts'
import { until } from '#app/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const Address = () => <output>{useLocation().search}</output>
const address = () => document.querySelector('output')?.textContent
const tabOf = (name: string) =>
  [...document.querySelectorAll<HTMLElement>('[role=tab]')].find(({ textContent }) => textContent === name)

test('the address names the tab of a page, and the first tab has no name', async () => {
  contractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(
    <>
      <ActivationPage />
      <Address />
    </>,
  )
  await until(() => expect(tabOf('批量任务')).toBeDefined())
  tabOf('批量任务')?.click()
  await until(() => expect(address()).toBe('?view=files'))
  await until(() => expect(tabOf('批量任务')?.ariaSelected).toBe('true'))
  tabOf('开通记录')?.click()
  await until(() => expect(address()).toBe(''))
  await until(() => expect(tabOf('开通记录')?.ariaSelected).toBe('true'))
})
