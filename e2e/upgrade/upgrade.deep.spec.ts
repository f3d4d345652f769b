import type { APIRequestContext, Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { type Fleet, makeFleet, tokenOf } from '../support/fleet.ts'

const RELEASER = ['list', 'query', 'enable', 'export', 'white', 'whiteAll', 'publish', 'audit', 'task', 'push'].map(
  (key) => `upgrade:ota:${key}`,
)
const QUICK = { timeout: 15_000 }

const rowOf = (page: Page, text: string) => page.getByRole('row', { name: new RegExp(text) })
const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(name) })

/** Opens the release page of a version from the list. */
async function openRelease(page: Page, { verName, otaId }: Fleet) {
  await page.goto(`/upgrade/ota?verName=${encodeURIComponent(verName)}`)
  await rowOf(page, verName).getByRole('button', { name: '发布', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/upgrade/ota/release/${otaId}$`))
  await expect(page.getByRole('heading', { name: `${verName}（200）` })).toBeVisible()
}

/** Polls like a device. */
async function check(request: APIRequestContext, sn: string) {
  const reply = await request.post('/device/v1/check', {
    headers: { authorization: `Bearer ${tokenOf(sn)}` },
    data: { sn, verCode: 100 },
  })
  return { status: reply.status(), taskId: reply.status() === 200 ? ((await reply.json()).taskId as number) : 0 }
}
const report = (request: APIRequestContext, sn: string, body: object) =>
  request.post('/device/v1/report', { headers: { authorization: `Bearer ${tokenOf(sn)}` }, data: { sn, ...body } })

/** Waits for the fleet index, which is updated shortly after a commit. */
const checked = (request: APIRequestContext, sn: string) =>
  expect.poll(async () => (await check(request, sn)).status, QUICK)

test('OTA-13 devices are added to the allowlist by row, by pasted serial numbers and by filter, and then removed', async ({
  page,
  login,
  staff,
  accessible,
}) => {
  const fleet = await makeFleet(45)
  const { sns } = fleet
  await login(await staff(RELEASER, '发布工程师'))
  await openRelease(page, fleet)
  await expect(page.getByText('测试发布只面向白名单')).toBeVisible()
  await expect(page.getByText('白名单还没有设备')).toBeVisible()
  await accessible()

  await page.getByRole('button', { name: '去添加设备' }).click()
  const first = rowOf(page, sns[44] as string)
  await first.getByRole('button', { name: '加入' }).click()
  await expect(page.getByText('加入成功！新加入 1 台')).toBeVisible()
  await expect(tab(page, '白名单（1）')).toBeVisible()
  await expect(first).toBeHidden()

  await page.getByRole('button', { name: '粘贴序列号' }).click()
  const paste = page.getByRole('dialog', { name: /粘贴序列号/ })
  await paste.getByRole('textbox', { name: '序列号列表' }).fill(`${sns[0]}\n${sns[1]}, ${sns[44]}\nNO-SUCH-ONE`)
  await expect(paste.getByRole('status')).toHaveText('共 4 个序列号')
  await paste.getByRole('button', { name: '加入' }).click()
  await expect(paste.getByText('新加入 2 台，1 台已在白名单中')).toBeVisible()
  await expect(paste.getByText('NO-SUCH-ONE', { exact: true })).toBeVisible()
  await accessible()
  await paste.getByRole('button', { name: '关闭' }).first().click()

  const search = page.getByRole('search')
  await search.getByLabel('序列号').fill(`${sns[0]?.slice(0, 7)}002`)
  await search.getByRole('button', { name: '查询' }).click()
  await page.getByRole('button', { name: '加入全部筛选结果（10 台）' }).click()
  await page
    .getByRole('dialog', { name: /加入全部筛选结果/ })
    .getByRole('button', { name: '加入' })
    .click()
  await expect(page.getByText('加入成功！新加入 10 台')).toBeVisible()
  await expect(tab(page, '白名单（13）')).toBeVisible()

  await page.getByText('白名单内', { exact: true }).click()
  await rowOf(page, sns[44] as string)
    .getByRole('button', { name: '移除' })
    .click()
  await expect(page.getByText('移除成功！').first()).toBeVisible()
  await expect(tab(page, '白名单（12）')).toBeVisible()
  await page.getByRole('button', { name: '移除全部（12 台）' }).click()
  await page
    .getByRole('dialog', { name: /移除全部/ })
    .getByRole('button', { name: '移除' })
    .click()
  await expect(tab(page, '白名单（0）')).toBeVisible()
  await expect(page.getByText('白名单还没有设备')).toBeVisible()
})

test('a release to many devices has stages, requires approval by a second account, and starts after the approval', async ({
  page,
  login,
  staff,
  accessible,
}) => {
  const fleet = await makeFleet(120)
  const [author, approver] = [await staff(RELEASER, '发布人'), await staff(RELEASER, '审批人')]
  await login(author)
  await openRelease(page, fleet)
  await page.getByRole('button', { name: '发布', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: new RegExp(`发布「${fleet.verName}」`) })
  await expect(sheet.getByText('按 1% → 10% → 50% → 100% 分 4 个阶段收到该版本')).toBeVisible()
  await expect(sheet.getByText('提交后由另一人审批')).toBeVisible()
  await expect(sheet.getByText('该型号共 120 台')).toBeVisible()
  await expect(sheet.getByRole('group', { name: '第 4 阶段' })).toContainText('约 120 台设备')
  await sheet.getByRole('button', { name: '移除第 1 阶段' }).click()
  await expect(sheet.getByText('按 10% → 50% → 100% 分 3 个阶段收到该版本')).toBeVisible()
  const percent = sheet.getByRole('group', { name: '第 2 阶段' }).getByLabel('设备比例')
  await percent.fill('5')
  await accessible()
  await sheet.getByRole('button', { name: '提交审批' }).click()
  await expect(sheet.getByText('设备比例应大于上一阶段')).toBeVisible()
  await percent.fill('40')
  await sheet.getByRole('button', { name: '提交审批' }).click()
  await expect(sheet).toBeHidden()
  await expect(page.getByText('提交的发布正在等待另一人审批')).toBeVisible()
  await expect(page.getByRole('button', { name: '审批' })).toBeDisabled()

  await login(approver)
  await page.goto('/indexScreen')
  await page.getByRole('link', { name: '待审批的固件发布' }).click()
  await expect(page).toHaveURL(/\/upgrade\/ota\?todo=1$/)
  await expect(rowOf(page, fleet.verName)).toBeVisible()
  await openRelease(page, fleet)
  await page.getByRole('button', { name: '审批' }).click()
  const word = page.getByRole('dialog', { name: /审批发布/ })
  await expect(word).toContainText('由 发布人 提交')
  await word.getByLabel('审批意见').fill('已核对')
  await word.getByRole('radio', { name: '通过' }).check()
  await word.getByRole('button', { name: /通\s*过/ }).click()
  await expect(word).toBeHidden()
  const stages = page.getByRole('list').filter({ hasText: '进行中' })
  await expect(stages.getByRole('listitem').first()).toContainText('10%')
  await expect(stages.getByRole('listitem').first()).toContainText('进行中')

  await page.getByRole('button', { name: '跳过当前阶段' }).click()
  await page
    .getByRole('dialog', { name: /跳过第 1 阶段，扩大到 40%/ })
    .getByRole('button', { name: '进入下一阶段' })
    .click()
  await expect(stages.getByRole('listitem').nth(1)).toContainText('进行中')
  await expect(stages.getByRole('listitem').first()).toContainText('已跳过')
  await tab(page, '策略与历史').click()
  await expect(page.getByText('通过固件版本')).toBeVisible()
  await accessible()
})

test('progress updates live, failures are grouped and retried, and pause and stop reach the devices', async ({
  page,
  request,
  login,
  staff,
  accessible,
}) => {
  const fleet = await makeFleet(6)
  const [a, b, c, d] = fleet.sns as [string, string, string, string]
  await login(await staff(RELEASER, '发布工程师'))
  await openRelease(page, fleet)
  await page.getByRole('button', { name: '发布', exact: true }).click()
  const sheet = page.getByRole('dialog', { name: new RegExp(`发布「${fleet.verName}」`) })
  await sheet.getByText('一次性按比例').click()
  await expect(sheet.getByText('全部收到该版本')).toBeVisible()
  await expect(sheet.getByText('现在有 6 台设备会在下次检查时收到')).toBeVisible()
  await sheet.getByRole('button', { name: '发布', exact: true }).click()
  await expect(sheet).toBeHidden()
  await expect(page.getByText('正式发布', { exact: true })).toBeVisible()

  for (const sn of [a, b, c]) await checked(request, sn).toBe(200)
  await report(request, a, { taskId: (await check(request, a)).taskId, state: 'succeeded' })
  for (const sn of [b, c])
    await report(request, sn, { taskId: (await check(request, sn)).taskId, state: 'failed', message: '存储空间不足' })
  const figures = page.getByRole('list', { name: '按状态筛选任务' })
  await expect(figures.getByRole('button', { name: '升级失败 2' })).toBeVisible(QUICK)
  await expect(figures.getByRole('button', { name: '升级成功 1' })).toBeVisible()
  await figures.getByRole('button', { name: '升级失败 2' }).click()
  await expect(rowOf(page, b)).toContainText('存储空间不足')
  await expect(rowOf(page, a)).toBeHidden()
  await accessible()

  await tab(page, '失败原因').click()
  // The tasks of the other tab name the same reason and stay visible for a moment.
  const group = page.getByRole('tabpanel', { name: '失败原因' }).getByRole('row', { name: /存储空间不足/ })
  await group.getByRole('button', { name: '重试' }).click()
  await page.getByRole('dialog', { name: '重试' }).getByRole('button', { name: '重试' }).click()
  await expect(page.getByText('已安排 2 台设备重试')).toBeVisible()
  await checked(request, b).toBe(200)

  await tab(page, '预演与排查').click()
  await page.getByRole('textbox', { name: '设备序列号' }).fill(b)
  await page.getByRole('button', { name: '查看原因' }).click()
  await expect(page.getByText(`${b}：设备已领到该版本的任务`)).toBeVisible()
  await accessible()

  await page.getByRole('button', { name: '暂停' }).click()
  const pause = page.getByRole('dialog', { name: /暂停发布/ })
  await pause.getByLabel('原因').fill('等待现场确认')
  await pause.getByRole('button', { name: '暂停' }).click()
  await expect(page.getByRole('alert').filter({ hasText: '发布已暂停：等待现场确认' })).toBeVisible()
  await checked(request, d).toBe(204)
  await page.getByRole('button', { name: '继续' }).click()
  await checked(request, d).toBe(200)

  await page.getByRole('button', { name: '更多操作' }).click()
  await page.getByRole('menuitem', { name: '终止发布' }).click()
  const stop = page.getByRole('dialog', { name: /终止发布/ })
  await stop.getByRole('button', { name: '终止' }).click()
  await expect(stop).toBeHidden()
  await expect(page.getByRole('alert').filter({ hasText: '停用后重新启用可以重新开始' })).toBeVisible()
  await expect
    .poll(
      async () =>
        (
          await request.post('/device/v1/check', {
            headers: { authorization: `Bearer ${tokenOf(d)}` },
            data: { sn: d, verCode: 100 },
          })
        ).text(),
      QUICK,
    )
    .toContain('"cancel":true')
})

test('a read-only user sees progress and plan, and no action buttons', async ({ page, login, staff }) => {
  const fleet = await makeFleet(2)
  await login(await staff(['upgrade:ota:list', 'upgrade:ota:query'], '只读'))
  await openRelease(page, fleet)
  await expect(tab(page, '白名单（0）')).toBeVisible()
  for (const name of ['发布', '暂停', '粘贴序列号', '更多操作'])
    await expect(page.getByRole('main').getByRole('button', { name, exact: true })).toHaveCount(0)
})
