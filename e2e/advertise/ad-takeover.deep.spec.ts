import { makeScreen } from './ad-records.ts'
import { act, createProgram, rowOf, textAds } from './program-records.ts'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'

const LIST = '/advertiseManage/ProgramList'
const AUDITOR = ['list', 'query', 'audit'].map((right) => `advertiseManage:adList:${right}`)
const APPROVER = ['list', 'query', 'audit'].map((right) => `advertiseManage:ProgramList:${right}`)

test('AD-05 a takeover is checked, approved by a second person, paused, resumed and withdrawn', async ({
  page,
  login,
  api,
  staff,
  context,
  accessible,
}) => {
  test.setTimeout(240_000)
  const admin = await api()
  const [adId] = await textAds(admin, await api(await staff(AUDITOR, '审核员')), [fresh('插播')])
  const { deviceId } = await makeScreen()
  const programName = fresh('紧急通知')
  const { id } = await createProgram(admin, { programName, items: [{ adId }], targetIds: [deviceId], insertMode: 1 })
  await login()
  await page.goto(`${LIST}/edit/${id}`)
  await page.getByRole('button', { name: '冲突检查' }).click()
  const dialog = (title: string) => page.getByRole('dialog').filter({ hasText: title })
  await expect(dialog('冲突检查')).toContainText('没有发现冲突')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '发布预演' }).click()
  await expect(dialog('发布预演')).toContainText('将投放到 1 块屏幕，新增下载 0')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '提交发布' }).click()
  const publish = dialog('插播将打断 1 块屏幕正在播放的内容，请输入屏幕数量确认')
  const confirm = publish.getByRole('button', { name: /发\s*布$/ })
  await expect(confirm).toBeDisabled()
  await publish.getByLabel('屏幕数量').fill('1')
  await confirm.click()
  await expect(page.getByText('已提交，等待另一人审批')).toBeVisible()
  await page.goto(LIST)
  const row = rowOf(page, programName)
  await expect(row).toContainText('待发布')

  await context.clearCookies()
  await login(await staff(APPROVER, '审批员'))
  await page.goto(LIST)
  await act(page, row, '审批')
  const review = dialog('审批')
  await expect(review.getByRole('region', { name: '发布预演' })).toContainText('插播将打断 1 块屏幕正在播放的内容')
  await expect(review.getByRole('region', { name: '冲突检查' })).toContainText('没有发现冲突')
  await expect(review.getByRole('region', { name: '版本内容' })).toContainText('目前没有生效中的版本')
  await expect(review.getByRole('region', { name: '广告' })).toContainText(`文字 · 时长 00:04`)
  await accessible()
  await review.getByRole('button', { name: '预览' }).click()
  await expect(page.frameLocator('iframe[title="预览节目单"]').getByText(programName)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(review.getByRole('button', { name: '预览' })).toBeFocused()

  await admin.call('POST', `/api/v1/advertise/program/withdraw/${id}`)
  await admin.call('POST', `/api/v1/advertise/program/publish/${id}`, { screens: 1 })
  await expect(review.getByText('版本 1 已被撤回，现在等待审批的是版本 2')).toBeVisible()
  await expect(review.getByRole('radio')).toHaveCount(0)
  await review.getByRole('button', { name: '查看版本 2' }).click()
  await dialog('审批').getByRole('radio', { name: '通过' }).check()
  await dialog('审批')
    .getByRole('button', { name: /^通\s*过$/ })
    .click()
  await expect(page.getByText('审批完成')).toBeVisible()
  await expect(row).toContainText('发布中')

  await context.clearCookies()
  await login()
  await page.goto(LIST)
  const confirmed = async (name: string) => {
    await act(page, row, name)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp([...name].join('\\s*')) })
      .click()
  }
  await confirmed('暂停')
  await expect(row).toContainText('已暂停')
  await act(page, row, '恢复')
  await expect(row).toContainText('发布中')
  await confirmed('撤回')
  await expect(row).toContainText('已结束')
})
