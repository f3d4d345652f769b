import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { OrderAddForm } from '#modules/agent/orders/order-form.tsx'
import { OpenEntitlementDrawer } from '#modules/storage/entitlements/entitlement-dialogs.tsx'
import { ok } from '#test/browser-harness.tsx'
import { useContractPage } from '#test/contract-page.tsx'
import { chooseFirst, findControl, waitUntil } from '#test/form-cases/page-driver.ts'
import { buildOptions } from '#test/form-cases/form-case.ts'
import '#kit/kit.css'

const open = useContractPage()

const PREVIEW = {
  targetCount: 12,
  grantCount: 12,
  listAmount: 129_000,
  discount: 0,
  amount: 128_800,
  content: '30 天',
  packs: [{ packNo: 1, beginTime: '2026-01-01', validUntil: '2026-02-01', activateUntil: '2026-07-01' }],
  problems: [],
}

/** Checks that the footer shows the text inside the window, beside or above the submit button. */
async function expectInFooter(text: string, button: string) {
  const result = page.getByText(text, { exact: false }).last()
  await expect.element(result).toBeInViewport({ ratio: 1 })
  expect(result.element().closest('.kit-form-footer')).not.toBeNull()
  await expect.element(page.getByRole('button', { name: button })).toBeInViewport({ ratio: 1 })
  const { scrollWidth, clientWidth } = document.documentElement
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
}

for (const [width, height] of [
  [1280, 720],
  [390, 844],
] as const) {
  test(`the amount due of an order is beside the submit button in a window of ${width} pixels`, async () => {
    await page.viewport(width, height)
    const server = open(<OrderAddForm onClose={() => {}} />)
    const packages = buildOptions({ packageCode: 'ZN30', content: '30 天', scope: 3, price: 900, isTrial: 0 })
    server.on(agentOrders.packages, () => ok(packages))
    server.on(agentOrders.preview, () => ok(PREVIEW))
    await waitUntil(() => void findControl('packageId'))
    await chooseFirst('packageId')
    await expectInFooter('12 个使用对象', '提交订单')
    expect(document.querySelector('.kit-form-result')?.textContent).toContain('1,288')
  })
}

test('the number of entitlements and the amount of an opening are beside the submit button', async () => {
  await page.viewport(1280, 720)
  const server = open(<OpenEntitlementDrawer sns={['CAM1']} onClose={() => {}} />)
  const pack = { packageCode: 'p', recordType: 1, storageDays: 7, period: '1个月', price: 0 }
  server.on(storageOptions.packages, () => ok(buildOptions(pack)))
  server.on(storageEntitlements.plan, () =>
    ok({
      devices: 3,
      entitlements: 6,
      listPrice: 0,
      amount: 5400,
      copies: 6,
      allowance: null,
      failed: [{ id: 0, name: 'CAM9', msg: '设备不存在' }],
      queues: [],
      lostDevices: 0,
      lostSeconds: 0,
      lostAmount: 0,
    }),
  )
  await waitUntil(() => void findControl('packageId'))
  await chooseFirst('packageId')
  await expectInFooter('1 台不能开通', '开通')
})
