import { makeScreen } from './ad-records.ts'
import { act, createProgram, rowOf, textAds } from './program-records.ts'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

const LIST = '/advertiseManage/ProgramList'
const AUDITOR = ['list', 'query', 'audit'].map((right) => `advertiseManage:adList:${right}`)

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
  await expect(drawer.locator('.kit-sum')).toContainText(`《${high}》`)
  await expect(drawer.getByRole('listitem').filter({ hasText: low }).last()).toContainText(`优先级低于《${high}》`)
  await accessible()
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
})
