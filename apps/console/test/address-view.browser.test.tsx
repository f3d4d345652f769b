import { storageHooks } from '@oms/contract/storage/hook.ts'
import { Navigate, Route, Routes, useLocation, useNavigate } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import AgentDetailPage from '#modules/agent/agents/agent-detail.page.tsx'
import { DeviceTabs } from '#modules/device/device-detail.page.tsx'
import ActivationPage from '#modules/storage/activation.page.tsx'
import { openTab } from './browser-harness.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { waitUntil } from '#test/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
// On a phone the filters are behind a button.
beforeEach(() => page.viewport(1280, 720))
afterEach(() => tab?.close())

const Address = () => <output>{useLocation().search}</output>
const address = () => document.querySelector('output')?.textContent
const tabOf = (name: string) =>
  [...document.querySelectorAll<HTMLElement>('[role=tab]')].find(({ textContent }) => textContent === name)

test('the URL contains the name of the selected tab, except for the first tab', async () => {
  createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(
    <>
      <ActivationPage />
      <Address />
    </>,
  )
  await waitUntil(() => expect(tabOf('批量任务')).toBeDefined())
  tabOf('批量任务')?.click()
  await waitUntil(() => expect(address()).toBe('?view=files'))
  await waitUntil(() => expect(tabOf('批量任务')?.ariaSelected).toBe('true'))
  tabOf('开通记录')?.click()
  await waitUntil(() => expect(address()).toBe(''))
  await waitUntil(() => expect(tabOf('开通记录')?.ariaSelected).toBe('true'))
})

test('a search in the list that is still shown does not cancel the switch to another tab', async () => {
  createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(
    <>
      <ActivationPage />
      <Address />
    </>,
  )
  await waitUntil(() => expect(document.querySelector('[role=search] button[type=submit]')).not.toBeNull())
  const query = document.querySelector<HTMLElement>('[role=search] button[type=submit]')
  tabOf('批量任务')?.click()
  query?.click()
  await waitUntil(() => expect(tabOf('批量任务')?.ariaSelected).toBe('true'))
  expect(address()).toBe('?view=files')
})

test('the page of an agent opens the tab that the URL names, and a click on another tab changes the URL', async () => {
  createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(
    <>
      <Routes>
        <Route path="/agent/agent/detail/:id" element={<AgentDetailPage />} />
        <Route path="*" element={<Navigate to="/agent/agent/detail/1?view=words" replace />} />
      </Routes>
      <Address />
    </>,
  )
  await waitUntil(() => expect(tabOf('替换词')?.ariaSelected).toBe('true'))
  tabOf('版本')?.click()
  await waitUntil(() => expect(address()).toBe('?view=versions'))
  tabOf('设定与试用')?.click()
  await waitUntil(() => expect(address()).toBe(''))
})

test('the URL contains the name of the selected tab of a device', async () => {
  createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(
    <>
      <DeviceTabs deviceId={1} sn="SN1" />
      <Address />
    </>,
  )
  await waitUntil(() => expect(tabOf('版本历史')).toBeDefined())
  tabOf('版本历史')?.click()
  await waitUntil(() => expect(address()).toBe('?view=versions'))
  await waitUntil(() => expect(tabOf('版本历史')?.ariaSelected).toBe('true'))
})

const optionOf = (name: string) =>
  [...document.querySelectorAll<HTMLElement>('.ant-segmented-item')].find(({ textContent }) => textContent === name)
const selected = () => document.querySelector('.ant-segmented-item-selected')?.textContent

function BackButton() {
  const navigate = useNavigate()
  return <button type="button" data-back aria-label="返回" onClick={() => void navigate(-1)} />
}

test('the URL contains the list within a view, and its filters', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  tab = openTab(
    <>
      <Routes>
        <Route path="/storage/activation" element={<ActivationPage />} />
        <Route path="*" element={<Navigate to="/storage/activation?view=hooks&list=events&outOrderNo=T1" replace />} />
      </Routes>
      <Address />
      <BackButton />
    </>,
  )
  await waitUntil(() => expect(selected()).toBe('回调记录'))
  await waitUntil(() => expect(document.querySelector<HTMLInputElement>('[id$=_outOrderNo]')?.value).toBe('T1'))
  await waitUntil(() => expect(server.inputsOf(storageHooks.events)).toMatchObject([{ outOrderNo: 'T1' }]))
  await waitUntil(() => expect(document.querySelector('.kit-list .ant-empty')).not.toBeNull())
  document.querySelector<HTMLElement>('[role=search] [type=submit]')?.click()
  await waitUntil(() => expect(server.inputsOf(storageHooks.events)).toHaveLength(2))
  await waitUntil(() => expect(address()).toBe('?view=hooks&list=events&outOrderNo=T1'))
  optionOf('商城回调')?.querySelector('input')?.click()
  await waitUntil(() => expect(address()).toBe('?view=hooks'))
  await waitUntil(() => expect(selected()).toBe('商城回调'))
  tabOf('订单')?.click()
  await waitUntil(() => expect(optionOf('退款')).toBeDefined())
  optionOf('退款')?.querySelector('input')?.click()
  await waitUntil(() => expect(address()).toBe('?view=orders&list=refunds'))
  document.querySelector<HTMLElement>('[data-back]')?.click()
  await waitUntil(() => expect(address()).toBe('?view=orders'))
})
