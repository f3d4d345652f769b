import { OrderDetail } from '@oms/contract/agent/orders/order-entities.ts'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { OrderDialog } from '#modules/agent/orders/order-dialogs.tsx'
import { ok } from '#test/browser-harness.tsx'
import { useContractPage } from '#test/contract-page.tsx'
import { buildSample } from '#test/form-cases/contract-server.ts'

const open = useContractPage()

test('a payment dialog loads an order that was changed meanwhile, and keeps the typed voucher', async () => {
  const row = { ...(buildSample(OrderDetail) as object), id: 5, state: 0, isMine: false, amount: 10_000, rev: 1 }
  let reads = 0
  const server = open(<OrderDialog step="confirm" row={row as never} onClose={() => {}} />)
  server.on(agentOrders.get, () => {
    reads += 1
    return ok(reads === 1 ? row : { ...row, amount: 25_000, rev: 2 })
  })
  await page.getByLabelText('凭证号').fill('V-1')
  await page.getByRole('button', { name: '加载最新' }).click()
  await expect.poll(() => document.querySelector('.kit-sum')?.textContent, { timeout: 5000 }).toContain('250')
  await expect.element(page.getByRole('button', { name: '加载最新' })).not.toBeInTheDocument()
  await expect.element(page.getByLabelText('凭证号')).toHaveValue('V-1')
  await page.getByRole('button', { name: /^确\s?认$/ }).click()
  await expect.poll(() => server.inputsOf(agentOrders.confirm)[0]).toMatchObject({ id: 5, rev: 2, voucherNo: 'V-1' })
})
