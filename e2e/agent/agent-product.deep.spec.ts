import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'
import { expectSwitched, pickExactly } from '../support/pick.ts'

const DAY_MS = 86_400_000
/** Returns the day some days from now, in the time zone of the console. */
const dayIn = (days: number) =>
  new Date(Date.now() + days * DAY_MS).toLocaleDateString('sv-SE', { timeZone: 'Asia/Shanghai' })

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** Creates a bound voice device and returns its serial number. */
async function newDevice(admin: Api) {
  const digits = `02${fresh('').slice(0, 8)}03`
  const { id: agentId } = await admin.call<{ id: number }>('POST', '/api/v1/agent/list', { agentName: fresh('套餐') })
  const mac = digits.replaceAll(/(..)(?=.)/g, '$1:')
  await admin.call('POST', '/api/v1/agent/device/bindMac', { agentId, mac, alias: '' })
  return digits
}

const productOf = async (admin: Api, packageName: string) =>
  (
    await admin.call<{ list: { id: number; version: number }[] }>('GET', '/api/v1/agent/product/page', {
      packageName,
    })
  ).list[0]!

/** Sells a package for a device, and returns the number of the order. */
async function sell(admin: Api, cashier: Api, packageId: number, serials: string) {
  const order = await admin.call<{ id: number; orderNo: string }>('POST', '/api/v1/agent/order', { packageId, serials })
  await cashier.call('PUT', '/api/v1/agent/order/confirm', { id: order.id, rev: 0, payWay: 1, voucherNo: fresh('V') })
  return order.orderNo
}

test('AGENT-12 the form of a package previews both periods, and an edit of a sold package creates a new version', async ({
  page,
  login,
  api,
  staff,
  accessible,
}) => {
  const admin = await api()
  const cashier = await api(await staff(['agent:order:list', 'agent:order:query', 'agent:order:confirm'], '财务林'))
  const name = fresh('轮次包')
  await login()
  await page.goto('/agent/product')
  await page.getByRole('button', { name: '新增套餐' }).first().click()
  const form = page.getByRole('dialog', { name: '新增套餐' })
  await form.getByLabel('套餐名称').fill(name)
  await form.getByLabel('套餐编码').fill(fresh('LC'))
  await pickExactly(form.getByLabel('计量单位'), '对话轮数')
  await form.getByLabel('数量').fill('1000')
  await form.getByLabel('价格', { exact: true }).fill('29')
  const preview = form.getByRole('heading', { name: /^预览：今天付款后，单台设备/ }).locator('..')
  await preview.getByLabel('份数').fill('2')
  await preview.getByLabel('付款后第几天首次连接').fill('5')
  await expect(preview.getByRole('listitem')).toContainText([
    `第 1 份 · 1,000 轮${dayIn(5)} 开始，${dayIn(35)} 结束；最晚 ${dayIn(180)} 前开始使用`,
    `第 2 份 · 1,000 轮${dayIn(35)} 开始，${dayIn(65)} 结束；最晚 ${dayIn(210)} 前开始使用`,
  ])
  await preview.getByLabel('付款后第几天首次连接').fill('181')
  await expect(preview).toContainText('已超过激活期限（180 天），套餐作废。')
  await accessible()
  await form.getByRole('button', { name: /^保\s*存$/ }).dblclick()
  await expect(form).toBeHidden()
  await expect(row(page, name)).toHaveCount(1)
  await expect(row(page, name)).toContainText('1,000 轮')

  const orderNo = await sell(admin, cashier, (await productOf(admin, name)).id, await newDevice(admin))
  await page.reload()
  await row(page, name).getByRole('button', { name: '编辑' }).click()
  const edit = page.getByRole('dialog', { name: new RegExp(`编辑套餐「${name}」`) })
  await expect(edit).toContainText('该套餐已售出，保存后将生成新版本，已售出的订单不受影响')
  await edit.getByLabel('价格', { exact: true }).fill('39')
  await edit.getByRole('button', { name: /^保\s*存$/ }).click()
  await expect(edit).toBeHidden()
  await expect(row(page, name)).toContainText('¥39.00')
  expect((await productOf(admin, name)).version).toBe(2)
  await row(page, name).getByRole('button', { name: '更多' }).click()
  await expect(page.getByRole('menuitem', { name: '删除' })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Escape')
  await row(page, name).getByRole('button', { name: '详情' }).click()
  const drawer = page.getByRole('dialog', { name })
  await drawer.getByRole('tab', { name: '版本' }).click()
  await expect(drawer).toContainText('¥39.00')
  await expect(drawer).toContainText('¥29.00')
  await accessible()
  await page.goto('/agent/order')
  await expect(row(page, orderNo)).toContainText('¥29.00')
})

test('AGENT-12 a trial package is sold to a device only once, and a disabled package cannot be sold', async ({
  page,
  login,
  api,
  staff,
}) => {
  const admin = await api()
  const cashier = await api(await staff(['agent:order:list', 'agent:order:query', 'agent:order:confirm'], '财务何'))
  const name = fresh('原套餐')
  const trial = fresh('试用包')
  const terms = { allowances: [{ unit: 2, amount: 50 }], scope: 1, activateDays: 30, validDays: 7, price: 100 }
  await admin.call('POST', '/api/v1/agent/product', { packageName: name, packageCode: fresh('YT'), ...terms })
  await login()
  await page.goto('/agent/product')
  await row(page, name).getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '复制' }).click()
  const copy = page.getByRole('dialog', { name: `复制套餐「${name}」` })
  await expect(copy.getByLabel('有效期')).toHaveValue('7')
  await copy.getByLabel('套餐名称').fill(trial)
  await copy.getByLabel('套餐编码').fill(fresh('SY'))
  await copy.getByRole('switch', { name: '试用套餐' }).click()
  await copy.getByRole('button', { name: /^保\s*存$/ }).click()
  await expect(copy).toBeHidden()
  await expect(row(page, trial)).toContainText('50 轮')

  const device = await newDevice(admin)
  const { id } = await productOf(admin, trial)
  await sell(admin, cashier, id, device)
  await expect(sell(admin, cashier, id, device)).rejects.toThrow('已领取过试用')

  await row(page, trial).getByRole('switch').click()
  const confirm = page.getByRole('dialog').filter({ hasText: '停用后不能再下单' })
  await confirm.getByRole('button', { name: /停\s*用/ }).click()
  await expectSwitched(row(page, trial).getByRole('switch'), false)
  await expect(sell(admin, cashier, id, await newDevice(admin))).rejects.toThrow('停用')
})
