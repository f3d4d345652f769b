import type { Page } from '@playwright/test'
import { approvedAd, makeScreen, textAd } from './ad-records.ts'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

const LIST = '/advertiseManage/ProgramList'
const AUDITOR = ['list', 'query', 'audit'].map((right) => `advertiseManage:adList:${right}`)
const APPROVER = ['list', 'query', 'audit'].map((right) => `advertiseManage:ProgramList:${right}`)

/** Creates approved texts of four seconds with these names. */
async function textAds(admin: Api, auditor: Api, names: readonly string[]) {
  const ids = []
  for (const adName of names)
    ids.push(await approvedAd(admin, auditor, { adName, adType: 4, duration: 4, text: textAd(adName) }))
  return ids
}
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const createProgram = (admin: Api, fields: object) =>
  admin.call<{ id: number }>('POST', '/api/v1/advertise/program', {
    dateFrom: dayFromNow(-1),
    dateTo: dayFromNow(366),
    targetType: 1,
    ...fields,
  })
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
/** Opens the menu of a row's further actions and chooses one. */
async function act(page: Page, row: ReturnType<typeof rowOf>, name: string) {
  const button = row.getByRole('button', { name, exact: true })
  const more = row.getByRole('button', { name: /更多/ })
  // The actions follow from the state of the row, which the list may still be loading.
  await button.or(more).first().waitFor()
  if ((await button.count()) > 0) return button.click()
  await more.click()
  return page.getByRole('menuitem', { name, exact: true }).click()
}

test('AD-04 a user edits a program by mouse and keyboard, previews, publishes and copies it, and publishes the copy', async ({
  page,
  login,
  api,
  staff,
  accessible,
}) => {
  test.setTimeout(240_000)
  const admin = await api()
  const names = ['早市', '午市', '晚市'].map((name) => fresh(name))
  const [first, second, third] = names as [string, string, string]
  await textAds(admin, await api(await staff(AUDITOR, '审核员')), names)
  const { sn } = await makeScreen()
  const program = fresh('门店节目单')
  await login()
  await page.goto(`${LIST}/add`)
  await page.getByLabel('节目单名称').fill(program)
  const library = page.getByRole('region', { name: '广告库' })
  const track = page.getByRole('region', { name: '节目单内容' })
  const total = track.locator('output')
  await library.getByRole('listitem').filter({ hasText: first }).dragTo(track.getByRole('list'))
  await expect(total).toHaveText(/共 1 条 · 总时长 00:04/)
  await library.getByRole('button', { name: `添加 ${second}` }).click()
  await library.getByRole('button', { name: `添加 ${third}` }).click()
  await expect(total).toHaveText(/共 3 条 · 总时长 00:12 · 每小时约 300 轮/)
  const order = () => track.locator('.ad-row-text b').allTextContents()
  expect(await order()).toEqual([first, second, third])
  await track.getByRole('button', { name: `第 3 条 ${third} 上移` }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(order).toEqual([first, third, second])
  await track
    .locator('.ad-grip')
    .first()
    .dragTo(track.locator('.ad-row').last(), { targetPosition: { x: 60, y: 40 } })
  await expect.poll(order).toEqual([third, second, first])
  await pick(page.getByLabel('投放对象').last(), sn)
  await page.keyboard.press('Escape')
  await accessible()

  await page.getByRole('button', { name: '预览', exact: true }).click()
  const shown = page.frameLocator('iframe[title="预览节目单"]').locator('.layer-shown .content')
  await expect(shown).toHaveText(third, { timeout: 60_000 })
  await page.frameLocator('iframe[title="预览节目单"]').getByRole('button', { name: '下一条' }).click()
  await expect(shown).toHaveText(second)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /关闭|Close/ })
    .click()

  await page.getByRole('button', { name: '提交发布' }).click()
  const publish = page.getByRole('dialog').filter({ hasText: '提交发布' })
  await expect(publish).toContainText('将投放到 1 块屏幕')
  await expect(publish.getByText('正在检查与其他节目单的冲突')).toHaveCount(0)
  await expect(publish.getByText('冲突检查失败')).toHaveCount(0)
  await publish.getByRole('button', { name: /发\s*布$/ }).click()
  await expect(page.getByText('发布成功')).toBeVisible()

  await page.goto(LIST)
  await act(page, rowOf(page, program).first(), '复制')
  await expect(rowOf(page, `${program} 副本`)).toContainText('草稿')
  const { list } = await admin.call<{ list: { id: number }[] }>(
    'GET',
    `/api/v1/advertise/program/page?programName=${encodeURIComponent(program)}`,
  )
  const id = Math.min(...list.map((each) => each.id))
  await admin.call('POST', `/api/v1/advertise/program/republish/${id}`, { verNo: 1 })
  await page.reload()
  await rowOf(page, program).last().getByRole('button', { name: '详情' }).click()
  await page.getByRole('tab', { name: '版本' }).click()
  await page.getByRole('button', { name: '重新发布' }).click()
  await page
    .getByRole('dialog')
    .filter({ hasText: '重新发布版本 1' })
    .getByRole('button', { name: /发\s*布$/ })
    .click()
  await expect(page.getByText('版本 3')).toBeVisible()
})

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

test('AD-12 a user sees what a screen plays and why', async ({ page, login, api, staff, accessible }) => {
  const admin = await api()
  const [adId] = await textAds(admin, await api(await staff(AUDITOR, '审核员')), [fresh('今日特价')])
  const { deviceId, sn } = await makeScreen()
  const common = { items: [{ adId }], targetIds: [deviceId] }
  const [high, low] = [fresh('高优先级'), fresh('低优先级')]
  const programs = [
    await createProgram(admin, { ...common, programName: high, priority: 5 }),
    await createProgram(admin, { ...common, programName: low }),
  ]
  for (const { id } of programs) await admin.call('POST', `/api/v1/advertise/program/publish/${id}`, {})
  await login()
  await page.goto(LIST)
  await page.getByRole('button', { name: '屏幕日程' }).click()
  const drawer = page.getByRole('dialog').filter({ hasText: '屏幕日程' })
  await pick(drawer.getByLabel('屏幕', { exact: true }), sn)
  await expect(drawer.locator('.ad-scope')).toContainText(`《${high}》`)
  await expect(drawer.getByRole('listitem').filter({ hasText: low }).last()).toContainText(`优先级低于《${high}》`)
  await accessible()
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
})
