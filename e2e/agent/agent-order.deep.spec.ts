import type { Page } from '@playwright/test'
import { atDesk } from '../support/desk.ts'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

const READ = ['agent:order:list', 'agent:order:query'] as const
const SELLER = [
  ...READ,
  'agent:order:add',
  'agent:order:close',
  'agent:order:confirm',
  'agent:order:refund',
  'agent:order:refundAudit',
] as const
const CASHIER = [...READ, 'agent:order:confirm', 'agent:order:refundAudit'] as const

/** Creates a bound voice device, and a package of 1,000 turns for a device. */
async function deviceAndPackage(admin: Api) {
  const name = fresh('畅聊包')
  const digits = `02${fresh('').slice(0, 8)}01`
  const { id: agentId } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', { agentName: name })
  const mac = digits.replaceAll(/(..)(?=.)/g, '$1:')
  await admin.call('POST', '/api/v1/agent/device/bindMac', { agentId, mac, alias: '' })
  const terms = { allowances: [{ unit: 2, amount: 1000 }], scope: 1, activateDays: 180, validDays: 30, price: 2900 }
  const packageCode = fresh('ZN').slice(0, 32)
  await admin.call('POST', '/api/v1/agent/product', { packageName: name, packageCode, ...terms })
  return { name, sn: digits }
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('AGENT-13 one account sells a package, and another account confirms and refunds the order; double clicks act once', async ({
  page,
  login,
  api,
  staff,
  browser,
  baseURL,
  accessible,
}) => {
  const { name, sn } = await deviceAndPackage(await api())
  const [seller, cashier] = [await staff(SELLER, '销售周'), await staff(CASHIER, '财务陈')]
  await login(seller)
  await page.goto('/agent/order')
  await page.getByRole('button', { name: '新增订单' }).first().click()
  const form = page.getByRole('dialog', { name: '新增订单' })
  await pick(form.getByLabel('套餐', { exact: true }), name)
  await pick(form.getByLabel('设备', { exact: true }), sn)
  await page.keyboard.press('Tab')
  await form.getByLabel('份数').fill('2')
  const preview = form.getByRole('region', { name: '订单预览' })
  await expect(preview).toContainText('应收 ¥58.00')
  await expect(preview).toContainText('第 2 份 · 1,000 轮')
  await accessible()
  await form.getByRole('button', { name: '提交订单' }).dblclick()
  await expect(form).toBeHidden()
  await expect(row(page, sn)).toHaveCount(1)
  await expect(row(page, sn)).toContainText('待确认')
  const own = row(page, sn).getByRole('button', { name: '确认收款' })
  await expect(own).toBeDisabled()
  await expect(own).toHaveAccessibleDescription('不能确认自己提交的订单，请由其他人确认')

  // The cashier opens the confirmation twice, and confirms with the same voucher in both windows.
  const desk = await atDesk(browser, baseURL, cashier)
  const other = await desk.context().newPage()
  const voucher = fresh('BANK')
  const dialogs = [desk, other].map((each) => each.getByRole('dialog', { name: /^确认收款/ }))
  for (const each of [desk, other]) {
    await each.goto('/agent/order')
    await row(each, sn).getByRole('button', { name: '确认收款' }).click()
  }
  for (const dialog of dialogs) await dialog.getByLabel('凭证号').fill(voucher)
  await accessible(desk)
  await dialogs[0]!.getByRole('button', { name: /^确\s*认$/ }).dblclick()
  await expect(dialogs[0]!).toBeHidden()
  await expect(row(desk, sn)).toContainText('已支付')
  await dialogs[1]!.getByRole('button', { name: /^确\s*认$/ }).click()
  await expect(dialogs[1]!).toBeHidden()
  await expect(row(other, sn)).toContainText('已支付')
  await row(desk, sn).getByRole('button', { name: '详情' }).click()
  const drawer = desk.getByRole('dialog', { name: /^订单 AO/ })
  await expect(drawer).toContainText(voucher)
  await expect(drawer.getByRole('table', { name: '使用情况' })).toContainText('2,000')
  await drawer.getByRole('tab', { name: '权益' }).click()
  await expect(drawer.getByRole('row').filter({ hasText: '待激活' })).toHaveCount(2)
  await accessible(desk)
  await drawer.getByRole('tab', { name: '流水' }).click()
  await expect(drawer.getByRole('row').filter({ hasText: '+1,000' })).toHaveCount(2)
  await desk.keyboard.press('Escape')

  // Nothing was used, so the whole amount is refunded. The seller cannot decide on the own request.
  await expect(row(page, sn)).toContainText('已支付')
  await row(page, sn).getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '申请退款' }).click()
  const request = page.getByRole('dialog', { name: /^申请退款/ })
  await expect(request).toContainText('退款金额 ¥58.00')
  await request.getByLabel('退款原因').fill('客户退货')
  await accessible()
  await request.getByRole('button', { name: '提交申请' }).dblclick()
  await expect(request).toBeHidden()
  await expect(row(page, sn)).toContainText('退款中')
  const ownAudit = row(page, sn).getByRole('button', { name: '审批退款' })
  await expect(ownAudit).toBeDisabled()
  await expect(ownAudit).toHaveAccessibleDescription('不能审批自己提交的退款申请，请由其他人审批')
  await row(desk, sn).getByRole('button', { name: '审批退款' }).click()
  const audit = desk.getByRole('dialog', { name: /^审批退款/ })
  await expect(audit).toContainText('退款金额 ¥58.00')
  await audit.getByRole('radio', { name: '同意' }).check()
  await audit.getByRole('button', { name: /^同\s*意$/ }).dblclick()
  await expect(audit).toBeHidden()
  await expect(row(desk, sn)).toContainText('已退款')
  await row(desk, sn).getByRole('button', { name: '详情' }).click()
  await drawer.getByRole('tab', { name: '权益' }).click()
  await expect(drawer.getByRole('row').filter({ hasText: '已退款' })).toHaveCount(2)
  await desk.context().close()
})
