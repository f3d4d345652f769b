import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'

const READER = ['agent:order:list', 'agent:order:query', 'agent:order:export', 'agent:agent:query']

/** Sells a package of 1,000 turns for 20 yuan to a new voice device. */
async function sellPackage(admin: Api, cashier: Api) {
  const name = fresh('余量包')
  const digits = `02${fresh('').slice(0, 8)}02`
  const { id: agentId } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', { agentName: name })
  const mac = digits.replaceAll(/(..)(?=.)/g, '$1:')
  await admin.call('POST', '/api/v1/agent/device/bindMac', { agentId, mac, alias: '' })
  const terms = { allowances: [{ unit: 2, amount: 1000 }], scope: 1, activateDays: 180, validDays: 30, price: 2000 }
  const packageCode = fresh('YL').slice(0, 32)
  const product = { packageName: name, packageCode, ...terms }
  const { id: packageId } = await admin.call<{ id: number }>('POST', '/api/v1/agent/product', product)
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/agent/order', { packageId, serials: digits })
  await cashier.call('PUT', '/api/v1/agent/order/confirm', { id, rev: 0, payWay: 1, voucherNo: fresh('V') })
  return { sn: digits, name }
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('AGENT-14 AGENT-15 the balance of a sold package appears in order, grant and ledger, and the usage page shows the income', async ({
  page,
  login,
  api,
  staff,
  accessible,
}) => {
  const cashier = await staff(['agent:order:list', 'agent:order:query', 'agent:order:confirm'], '财务王')
  const { sn } = await sellPackage(await api(), await api(cashier))
  await login(await staff(READER, '运营孙'))
  await page.goto('/agent/order?view=grants')
  await expect(row(page, sn).filter({ hasText: '1,000 / 1,000' })).toBeVisible()
  await page.getByRole('tab', { name: '流水' }).click()
  await expect(row(page, sn).filter({ hasText: '发放' })).toContainText('1,000')
  await page.getByRole('tab', { name: '订单', exact: true }).click()
  await expect(row(page, sn).filter({ hasText: '1,000 / 1,000 轮' })).toBeVisible()
  await page.getByRole('tab', { name: '用量' }).click()
  const income = page.getByRole('region', { name: '收入与成本' })
  await income.getByText('按设备').click()
  await expect(income.getByRole('row').filter({ hasText: sn })).toContainText('¥20.00')
  await income.getByText('按日期').click()
  await expect(income.getByRole('columnheader', { name: '日期' })).toBeVisible()
  await accessible()
})
