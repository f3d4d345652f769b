import { feedback } from '@oms/contract/ticket/ticket.ts'
import { AfterSalesDevice } from '@oms/contract/ticket/ticket-rows.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildFilledSample } from '#app/form-cases/contract-server.ts'
import ServiceDevicesPage from '#modules/ticket/service-devices.page.tsx'
import { ok } from '../browser-harness.tsx'
import { useContractPage } from '../contract-page.tsx'

const start = useContractPage()

test('the tooltip of a sortable column does not block clicks on the buttons that it covers', async () => {
  const server = start(<ServiceDevicesPage />)
  server.on(feedback.devices, () => ok({ list: [buildFilledSample(AfterSalesDevice)], total: 1 }))
  await page.getByRole('columnheader', { name: '保修到期' }).hover()
  const isClickThrough = () => {
    const box = document.querySelector('.ant-tooltip')?.getBoundingClientRect()
    if (!box?.width) return 'no tooltip'
    return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest('.ant-tooltip') === null
  }
  await expect.poll(isClickThrough).toBe(true)
})
