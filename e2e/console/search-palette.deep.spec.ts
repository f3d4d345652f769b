import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { ticket } from '../support/tickets.ts'

const tabs = (page: Page) => page.getByRole('tablist', { name: '已打开的页面' }).getByRole('tab')

test('Ctrl+K finds a menu by part of its title', async ({ page, login, accessible }) => {
  await login()
  await page.goto('/')
  await expect(tabs(page).first()).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: '搜索关键字' }).fill('首')
  await expect(page.getByRole('option', { name: /首页/ })).toBeVisible()
  await accessible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/indexScreen$/)
})

test('Ctrl+K finds a device by part of its serial number and opens its page', async ({ page, login, api }) => {
  const admin = await api()
  const code = fresh('K')
  const model = { modelName: `型号${code}`, modelCode: code, typeName: `类型${code}`, typeCode: code }
  const { modelId } = await admin.call<{ modelId: number }>('POST', '/api/v1/device/model/quick', model)
  await admin.call('POST', '/api/v1/device/info', { sn: `SEEK-${code}-01`, modelId })
  await login()
  await page.goto('/')
  await expect(tabs(page).first()).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: '搜索关键字' }).fill(`EEK-${code}`)
  await page.getByRole('option', { name: new RegExp(`SEEK-${code}-01`) }).click()
  await expect(page).toHaveURL(/\/device\/apkManage\/detail\/\d+$/)
})

test('Ctrl+K finds a ticket by the telephone number of its contact', async ({ page, login, api }) => {
  const contact = `139${String(Date.now()).slice(-8)}`
  const { feedbackNo } = await ticket(await api(), '来电反映画面卡顿', { contact })
  await login()
  await page.goto('/')
  await expect(tabs(page).first()).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: '搜索关键字' }).fill(contact)
  await page.getByRole('option', { name: new RegExp(feedbackNo) }).click()
  await expect(page.locator('.ticket-text')).toHaveText('来电反映画面卡顿')
})
