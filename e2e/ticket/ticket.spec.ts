import { expect, test } from '../support/fixtures.ts'
import { AGENT, confirm, detail, PENDING, pickHandler, QUESTIONS, row, ticket } from '../support/tickets.ts'

test('TICKET-02 TICKET-04 TICKET-05 TICKET-07 TICKET-08 an agent claims and closes a ticket while another agent only reads', async ({
  page,
  login,
  staff,
  api,
  accessible,
}) => {
  const [agent, other] = [await staff(AGENT, '甲客服'), await staff(AGENT, '乙客服')]
  const { id, feedbackNo } = await ticket(await api(agent), '设备不能开机，指示灯不亮')
  await login(agent)
  await page.goto(PENDING)
  await row(page, feedbackNo).getByRole('button', { name: '认领' }).click()
  await expect(row(page, feedbackNo)).toContainText('甲客服')
  await row(page, feedbackNo).getByRole('button', { name: '处理' }).click()
  await expect(page).toHaveURL(/PendingList\/Pendding\?info=/)
  // The list stays mounted in its hidden tab and contains the same text.
  await expect(page.locator('.ticket-text')).toHaveText('设备不能开机，指示灯不亮')
  for (const title of [
    '工单编号',
    '反馈账号',
    '设备序列号',
    '设备型号',
    '设备类型',
    '系统版本',
    '设备登记时间',
    '问题类型',
    '提交时间',
  ])
    await expect(page.locator('dt', { hasText: new RegExp(`^${title}$`) })).toBeVisible()
  await expect(page.getByRole('heading', { name: '问题描述' })).toBeVisible()
  // TICKET-04: `analysis` can be chosen in every state of the ticket.
  await expect(page.getByRole('radio', { name: '分析中' })).toBeChecked()
  await accessible()

  await page.locator('.ticket-statuses').getByText('已关闭', { exact: true }).click()
  await expect(page.getByRole('radio', { name: '已关闭' })).toBeChecked()
  await expect(page.getByText('由我处理')).toHaveCount(0)
  await page.locator('.ticket-statuses').getByText('修改中', { exact: true }).click()
  await expect(page.getByRole('button', { name: '由我处理' })).toBeVisible()
  await confirm(page).click()
  await expect(page.getByText('请选择处理人员', { exact: true }).last()).toBeVisible()
  await pickHandler(page, agent)
  await page.getByLabel('处理备注').fill('更换电源板')
  await confirm(page).click()
  await expect(page.getByText('处理成功')).toBeVisible()
  const progress = page.locator('.ticket-progress')
  await expect(progress).toContainText('更换电源板')
  await expect(progress).toContainText('修改中')
  await expect(progress).toContainText('甲客服')
  await expect(progress).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/)
  // After saving, the form has its initial state.
  await expect(page.getByRole('radio', { name: '分析中' })).toBeChecked()

  // TICKET-07: another agent sees all data without a confirm button, and the server refuses the call.
  const theirs = await api(other)
  await expect(theirs.call('POST', '/api/v1/feedback/dispose', { feedbackId: id, status: 5 })).rejects.toThrow('501')
  await page.locator('.ticket-statuses').getByText('已关闭', { exact: true }).click()
  await confirm(page).click()
  await page.getByRole('button', { name: '关闭工单' }).click()
  await expect(page.locator('.ticket-head').getByText('已关闭', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: '重新打开' })).toBeVisible()
  // TICKET-08: the list shows the change at once.
  await page.getByRole('tab', { name: '待办工单' }).click()
  await expect(row(page, feedbackNo)).toHaveCount(0)
})

test('TICKET-07 the page of a ticket of another handler has no confirm button', async ({ page, login, staff, api }) => {
  const [agent, other] = [await staff(AGENT, '丙客服'), await staff(AGENT, '丁客服')]
  const mine = await api(agent)
  const { id } = await ticket(mine, '画面花屏')
  await mine.call('POST', `/api/v1/feedback/claim/${id}`)
  await login(other)
  await page.goto(detail(QUESTIONS, id))
  await expect(page.getByText('该工单由 丙客服 处理，您可以查看。')).toBeVisible()
  await expect(confirm(page)).toHaveCount(0)
})

test('ROUTE-05 both detail URLs open the ticket; an invalid ticket shows a message and a link to the list', async ({
  page,
  login,
  api,
}) => {
  const admin = await api()
  const { id, feedbackNo } = await ticket(admin, '地址测试')
  await login()
  for (const list of [PENDING, QUESTIONS]) {
    await page.goto(detail(list, id))
    await expect(page.locator('.ticket-head')).toContainText(feedbackNo)
    for (const info of ['%7Bbroken', 'null', encodeURIComponent('{"id":"x"}'), '']) {
      await page.goto(`${list}/Pendding?info=${info}`)
      await expect(page.getByText('链接中的工单信息不正确，无法打开工单')).toBeVisible()
    }
    await page.getByRole('button', { name: '返回列表' }).click()
    await expect(page).toHaveURL(new RegExp(`${list}$`))
  }
  await page.goto(detail(QUESTIONS, 2_000_000_000))
  await expect(page.getByText('工单不存在或已被删除').first()).toBeVisible()
})
