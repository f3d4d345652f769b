import { readFileSync } from 'node:fs'
import { dictEntry } from '../support/dictionaries.ts'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { AGENT, detail, QUESTIONS, row, ticket } from '../support/tickets.ts'
import { pick } from '../support/pick.ts'

test('a user prints a ticket with all its data and downloads its attachments as a zip file', async ({
  page,
  login,
}) => {
  await login()
  // The test checks the print layout instead of a printer's output.
  await page.addInitScript(() => {
    window.print = () =>
      document.documentElement.setAttribute('data-printed', document.querySelector('.ticket-print')?.textContent ?? '')
  })
  await page.goto(QUESTIONS)
  await page.getByRole('button', { name: '新增工单' }).first().click()
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByRole('textbox', { name: '设备序列号' })).toBeFocused()
  await pick(drawer.getByLabel('问题类型'), '软件故障')
  await drawer.getByRole('textbox', { name: '问题描述' }).fill('升级后无法联网，附上日志')
  const log = { name: '现场日志.txt', mimeType: 'text/plain', buffer: Buffer.from('wifi: association failed\n') }
  const photo = { name: '网络拓扑.txt', mimeType: 'text/plain', buffer: Buffer.from('ap - switch - device\n') }
  await drawer.getByLabel('选择文件').setInputFiles([log, photo])
  await expect(drawer.getByText('网络拓扑.txt')).toBeVisible()
  await expect(drawer.getByText('现场日志.txt')).toBeVisible()
  await drawer.getByRole('button', { name: /^保\s*存$/ }).click()
  await expect(page).toHaveURL(/Questions\/Pendding/)
  await expect(page.getByRole('button', { name: '下载 现场日志.txt' })).toBeVisible()
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: '下载全部附件' }).click(),
  ])
  const bytes = readFileSync(await zip.path())
  expect(bytes.includes(Buffer.from('现场日志.txt'))).toBe(true)
  await page.getByRole('button', { name: '打印' }).click()
  const printed = page.locator('html')
  await expect(printed).toHaveAttribute('data-printed', /升级后无法联网，附上日志/)
  await expect(printed).toHaveAttribute('data-printed', /软件故障/)
  await expect(printed).toHaveAttribute('data-printed', /处理进度/)
})

test('several tickets are assigned to one handler, and two duplicates are merged', async ({
  page,
  login,
  staff,
  api,
}) => {
  const agent = await staff(AGENT, '己客服')
  const admin = await api()
  const tag = fresh('批')
  const [first, second] = [
    await ticket(admin, `${tag} 屏幕闪烁`, { account: `${tag}@example.com` }),
    await ticket(admin, `${tag} 屏幕闪烁再报`, { account: `${tag}@example.com` }),
  ]
  await login()
  await page.goto(`${QUESTIONS}?keyword=${encodeURIComponent(`${tag}@example.com`)}`)
  await expect(row(page, first.feedbackNo)).toBeVisible()
  await row(page, first.feedbackNo).getByRole('checkbox').check()
  await row(page, second.feedbackNo).getByRole('checkbox').check()
  await page.getByRole('button', { name: '分派', exact: true }).click()
  const assign = page.getByRole('dialog', { name: '分派工单（2 个）' })
  await pick(assign.getByLabel('处理人员'), agent.account)
  await assign.getByRole('button', { name: '分派', exact: true }).click()
  await expect(assign).toBeHidden()
  await expect(row(page, first.feedbackNo)).toContainText('己客服')
  await expect(row(page, second.feedbackNo)).toContainText('己客服')

  await row(page, first.feedbackNo).getByRole('checkbox').check()
  await row(page, second.feedbackNo).getByRole('checkbox').check()
  await page.getByRole('button', { name: '合并', exact: true }).click()
  const merge = page.getByRole('dialog', { name: '合并工单（2 个）' })
  await pick(merge.getByRole('combobox'), first.feedbackNo)
  await merge.getByRole('button', { name: '合并', exact: true }).click()
  await expect(merge).toBeHidden()
  await expect(row(page, second.feedbackNo)).toContainText('关闭')
  await page.goto(detail(QUESTIONS, second.id))
  await expect(page.getByText(`该工单已合并到 ${first.feedbackNo}`)).toBeVisible()
})

test('the ticket settings save time limits and days off', async ({ page, login, api, putBack, accessible }) => {
  const admin = await api()
  const before = await admin.call<object>('GET', '/api/v1/feedback/sla')
  putBack(async (again) => {
    const { rev } = await again.call<{ rev: number }>('GET', '/api/v1/feedback/sla')
    return again.call('PUT', '/api/v1/feedback/sla', { ...before, rev })
  })
  await login()
  await page.goto(QUESTIONS)
  await page.getByRole('button', { name: '服务时限' }).click()
  const form = page.getByRole('dialog', { name: '服务时限' })
  await form.getByLabel('紧急首次响应').fill('45')
  await form.getByLabel('另外放假的日期').fill('2031-01-04')
  await page.keyboard.press('Enter')
  await accessible()
  await form.getByRole('button', { name: /^保\s*存$/ }).click()
  await expect(form).toBeHidden()
  const after = await admin.call<{ targets: Record<string, { respond: number }>; calendar: { holidays: string[] } }>(
    'GET',
    '/api/v1/feedback/sla',
  )
  expect(after.targets['4']?.respond).toBe(45)
  expect(after.calendar.holidays).toContain('2031-01-04')
})

test('a ticket status uses the label of the dictionary', async ({ page, login, api, putBack }) => {
  const admin = await api()
  const { id, feedbackNo } = await ticket(admin, '字典里的状态')
  await admin.call('POST', '/api/v1/feedback/dispose', { feedbackId: id, status: 3, handlerId: 1, remark: '' })
  const { label, relabel } = await dictEntry(admin, 'feedback_status', '3')
  putBack(() => relabel(label))
  const changed = fresh('待客户验收')
  await login()
  await page.goto(detail(QUESTIONS, id))
  await expect(page.locator('.ticket-head')).toContainText('验证中')
  await relabel(changed)
  await expect(page.locator('.ticket-head')).toContainText(changed, { timeout: 40_000 })
  await expect(page.locator('.ticket-statuses')).toContainText(changed)
  await page.goto(QUESTIONS)
  await expect(row(page, feedbackNo)).toContainText(changed)
})
