import { AgentDeviceRow, agentDevices } from '@oms/contract/agent/devices/device.ts'
import { useLocation, useNavigate } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { ok, openTab } from '#test/browser-harness.tsx'
import { buildSample, createContractServer } from '#test/form-cases/contract-server.ts'
import AgentDeviceListPage from '#modules/agent/devices/device-list.page.tsx'

const SLOW = { timeout: 10_000 }

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const device = (id: number, name: string) => ({ ...(buildSample(AgentDeviceRow) as object), id, name })

/** Button that navigates to a URL with an open record. It also shows the query of the current URL. */
function Address({ to }: { to: string }) {
  const navigate = useNavigate()
  return (
    <button type="button" id="address" onClick={() => void navigate(to)}>
      {useLocation().search}
    </button>
  )
}
const address = () => document.querySelector('#address')?.textContent

function openDevices(to: string) {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(agentDevices.list, () => ok({ list: [device(7, '客厅')], total: 1 }))
  server.on(agentDevices.get, ({ id }) => ok(device(Number(id), '卧室')))
  tab = openTab(
    <>
      <Address to={to} />
      <AgentDeviceListPage />
    </>,
  )
}

test('the URL contains the device and the tab of the open drawer until it is closed', async () => {
  openDevices('?name=a')
  await page.getByRole('button', { name: '详情' }).first().click()
  await expect.poll(address, SLOW).toBe('?record=7')
  await page.getByRole('tab', { name: '接入诊断' }).click()
  await expect.poll(address, SLOW).toBe('?record=7&tab=diagnosis')
  await page.getByRole('button', { name: '关闭' }).click()
  await expect.poll(address, SLOW).toBe('')
})

test('a URL with a device that is not in the list opens its drawer on the tab, and keeps the filters', async () => {
  openDevices('?name=a&record=9&tab=memory')
  await expect.poll(() => document.querySelector('#address'), SLOW).not.toBeNull()
  document.querySelector<HTMLElement>('#address')?.click()
  await expect.element(page.getByRole('dialog', { name: '卧室' })).toBeVisible()
  await expect.element(page.getByRole('tab', { name: '记忆' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('button', { name: '关闭' }).click()
  await expect.poll(address, SLOW).toBe('?name=a')
})
