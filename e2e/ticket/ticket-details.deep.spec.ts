import { readFileSync } from 'node:fs'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'
import { AGENT, confirm, detail, PENDING, QUESTIONS, row, ticket } from '../support/tickets.ts'

test('TICKET-03 TICKET-06 the problem checklists of a ticket have all options and keep the selection', async ({
  page,
  login,
  staff,
  api,
}) => {
  const agent = await staff(AGENT, '戊客服')
  const { id } = await ticket(await api(agent), '音频断续', { problemType: 2 })
  await login(agent)
  await page.goto(detail(PENDING, id))
  const list = (name: string) => page.getByRole('group', { name }).getByRole('checkbox')
  await expect(list('硬件问题')).toHaveCount(10)
  await expect(list('软件问题')).toHaveCount(5)
  await expect(list('结构问题')).toHaveCount(6)
  await page.getByRole('checkbox', { name: '音频' }).check()
  await page.getByRole('checkbox', { name: 'BUG' }).check()
  const remark = page.getByLabel('处理备注')
  await page.getByRole('button', { name: '由我处理' }).click()
  await remark.fill('字'.repeat(201))
  await confirm(page).click()
  await expect(page.getByText('处理备注不能超过200个字符')).toBeVisible()
  await expect(remark).toHaveValue('字'.repeat(201))
  await remark.fill('字'.repeat(200))
  await confirm(page).click()
  await expect(page.locator('.ticket-progress')).toContainText('字字字')
  await page.reload()
  await expect(page.getByRole('checkbox', { name: '音频' })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: 'BUG' })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: '电源' })).not.toBeChecked()
})

test('a partly typed remark stays when the connection fails and the ticket cannot be refreshed', async ({
  page,
  context,
  login,
  staff,
  api,
}) => {
  const agent = await staff(AGENT, '己客服')
  const { id } = await ticket(await api(agent), '无法开机')
  await login(agent)
  await page.goto(detail(PENDING, id))
  const remark = page.getByLabel('处理备注')
  await remark.fill('已联系客户，等待寄回')
  await page.route('**/api/v1/feedback/info/**', (route) => route.abort())
  await context.setOffline(true)
  await context.setOffline(false)
  const failed = page.locator('.kit-failed').filter({ hasText: '下面是之前读到的内容' })
  await expect(failed).toBeVisible()
  await expect(remark).toHaveValue('已联系客户，等待寄回')
  await page.unroute('**/api/v1/feedback/info/**')
  await failed.getByRole('button', { name: '重试' }).click()
  await expect(failed).toHaveCount(0)
  await expect(remark).toHaveValue('已联系客户，等待寄回')
})

test('a typed remark stays when the user loads the newest version of the ticket, and is cleared by saving', async ({
  page,
  login,
  staff,
  api,
}) => {
  const agent = await staff(AGENT, '庚客服')
  const calls = await api(agent)
  const { id } = await ticket(calls, '指示灯闪烁')
  await login(agent)
  await page.goto(detail(PENDING, id))
  const remark = page.getByLabel('处理备注')
  await remark.fill('已寄出备件')
  await calls.call('POST', `/api/v1/feedback/claim/${id}`)
  await page.getByRole('button', { name: '加载最新' }).click()
  await expect(page.getByRole('button', { name: '加载最新' })).toHaveCount(0)
  await expect(remark).toHaveValue('已寄出备件')
  await confirm(page).click()
  await expect(page.getByText('处理成功')).toBeVisible()
  await expect(page.locator('.ticket-progress')).toContainText('已寄出备件')
  await expect(remark).toHaveValue('')
})

test('TICKET-02 a ticket is created with pictures, which can be zoomed and downloaded as one zip', async ({
  page,
  login,
}) => {
  await login()
  await page.goto(QUESTIONS)
  await page.getByRole('button', { name: '新增工单' }).first().click()
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByRole('textbox', { name: '设备序列号' })).toBeFocused()
  await pick(drawer.getByLabel('问题类型'), '硬件故障')
  await drawer.getByRole('textbox', { name: '问题描述' }).fill('灯板只亮一半')
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  )
  await drawer.getByLabel('选择图片').setInputFiles([
    { name: '正面.png', mimeType: 'image/png', buffer: png },
    { name: '侧面.png', mimeType: 'image/png', buffer: png },
  ])
  await expect(drawer.getByRole('img', { name: '图片 2' })).toBeVisible()
  await drawer.getByRole('button', { name: /^保\s*存$/ }).click()
  await expect(page).toHaveURL(/Questions\/Pendding/)
  await expect(page.getByRole('img', { name: '图片 2' })).toBeVisible()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: '下载全部图片' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^工单FB\d+\.zip$/)
  const bytes = readFileSync(await file.path())
  expect(bytes.includes(Buffer.from('侧面.png'))).toBe(true)
  await page.getByRole('img', { name: '图片 1' }).click()
  await expect(page.locator('.ant-image-preview img')).toBeVisible()
  await page.keyboard.press('Escape')
})

test('each figure of the ticket statistics links to the list of the counted tickets', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const admin = await api()
  await ticket(admin, '统计用工单', { problemType: 3 })
  await login()
  await page.goto('/AfterService/StatisticAnalysis')
  await expect(page.getByRole('heading', { name: '每日趋势' })).toBeVisible()
  const types = page.getByRole('region', { name: '问题类型' })
  await expect(types.getByRole('img', { name: /改进建议/ })).toBeVisible()
  await accessible()
  await types.getByRole('button', { name: '看表格' }).click()
  await types
    .getByRole('row', { name: /改进建议/ })
    .getByRole('link')
    .click()
  await expect(page).toHaveURL(/\/AfterService\/Questions\?.*problemType=3/)
  await expect(row(page, '统计用工单').first()).toBeVisible()
})

test('the form of a new ticket shows the device while the user types its serial number', async ({
  page,
  login,
  staff,
  api,
}) => {
  const admin = await api()
  const code = fresh('F')
  const model = { modelName: `型号${code}`, modelCode: code, typeName: `类型${code}`, typeCode: code }
  const { modelId } = await admin.call<{ modelId: number }>('POST', '/api/v1/device/model/quick', model)
  await admin.call('POST', '/api/v1/device/info', { sn: `FACTS-${code}`, modelId })
  await login(await staff(AGENT, '接线客服'))
  await page.goto(QUESTIONS)
  await page.getByRole('button', { name: '新增工单' }).first().click()
  const form = page.getByRole('dialog', { name: '新增工单' })
  await form.getByLabel('设备序列号').pressSequentially(`FACTS-${code}`)
  const facts = form.getByRole('region', { name: '设备信息' })
  await expect(facts).toContainText(`型号${code}`)
  await form.getByLabel('设备序列号').press('x')
  await expect(facts).toHaveText('系统中没有该序列号的设备，工单仍可提交')
})
