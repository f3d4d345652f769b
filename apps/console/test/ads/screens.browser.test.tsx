import { DeliveryRow, programChecks } from '@oms/contract/advertise/program-check.ts'
import { adScreens } from '@oms/contract/advertise/screen.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { DeliveryDrawer } from '#modules/advertise/programs/delivery-drawer.tsx'
import ScreenListPage from '#modules/advertise/screens/screen-list.page.tsx'
import ScreenTab from '#modules/advertise/screens/screen-tab.tsx'
import { ok } from '../browser-harness.tsx'
import { useContractPage } from '../contract-page.tsx'

const start = useContractPage()
beforeEach(() => page.viewport(1280, 720))
afterEach(() => page.viewport(1280, 720))

const WEB = {
  ...(buildSample(adScreens.get.result) as object),
  id: 7,
  sn: 'SCR-7',
  online: 1,
  playerKind: 1,
  playerVersion: 'web 1',
  width: 1920,
  height: 1080,
  programName: '早餐时段',
  adName: '春节',
  playingTime: '2030-01-01 10:32:15',
  playingStale: 0,
  deliveryState: 2,
  readyFiles: 3,
  totalFiles: 3,
  failed: [],
  clockOffsetMs: 0,
  offlineReady: 1,
  muted: 0,
  covered: 0,
  smilReplaced: 0,
  hasSmilAddress: 0,
  leftPrograms: 0,
  timeZone: '',
  audienceFactor: 1,
  volume: 100,
}
const SMIL = { ...WEB, playerKind: 3, hasSmilAddress: 1, width: 0, height: 0, adName: '', playingTime: null }

function open(row: object, content = <ScreenListPage />) {
  const server = start(content)
  server.on(adScreens.list, () => ok({ list: [row], total: 1 }))
  server.on(adScreens.get, () => ok(row))
  server.on(programChecks.agenda, () => new Promise(() => {}))
  return server
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const row = () => page.getByRole('row').filter({ hasText: 'SCR-7' })
async function chooseMore(label: string) {
  await row().getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: label }).click()
}

test('AD-07 the list shows the size of a screen, its playing ad, and the time of the report', async () => {
  open(WEB)
  await expect.element(row().getByText('1920×1080')).toBeVisible()
  await expect.element(row().getByText('春节（早餐时段）')).toBeVisible()
  const time = row().getByText('10:32 上报')
  await expect.element(time).toBeVisible()
  expect(time.element().closest('.kit-cell.kit-muted')).toBeNull()
})

test('AD-07 an old report of the playing ad is dimmed and shows its date', async () => {
  open({ ...WEB, playingStale: 1 })
  const time = row().getByText('01-01 10:32 上报')
  await expect.element(time).toBeVisible()
  expect(time.element().closest('.kit-cell.kit-muted')).not.toBeNull()
})

test('AD-07 the drawer of a screen shows muted sound and a covered page with advice', async () => {
  open({ ...WEB, muted: 1, covered: 1 })
  await expect.element(row().getByText('浏览器已静音')).toBeVisible()
  await expect.element(row().getByText('页面被遮挡')).toBeVisible()
  await row().getByText('SCR-7').dblClick()
  const drawer = page.getByRole('dialog')
  await expect.element(drawer.getByText('请在浏览器的网站设置中允许声音', { exact: false })).toBeVisible()
  await expect.element(drawer.getByText('请关闭遮挡的窗口', { exact: false })).toBeVisible()
})

test('AD-07 the size of a SMIL player is edited, and the form names its orientation', async () => {
  const server = open(SMIL)
  await expect.element(row().getByText('未填写')).toBeVisible()
  await row().getByRole('button', { name: '编辑' }).click()
  const width = page.getByLabelText('屏幕宽度')
  await width.fill('1080')
  await page.getByLabelText('屏幕高度').fill('1920')
  await expect.element(page.getByText('竖屏。', { exact: false })).toBeVisible()
  await button('保存').click()
  await expect
    .poll(() => server.inputsOf(adScreens.update))
    .toEqual([expect.objectContaining({ id: 7, width: 1080, height: 1920 })])
})

test('AD-07 an empty size of a SMIL player is sent as unknown', async () => {
  const server = open({ ...SMIL, width: 1080, height: 1920 })
  await row().getByRole('button', { name: '编辑' }).click()
  await page.getByLabelText('屏幕宽度').fill('')
  await page.getByLabelText('屏幕高度').fill('')
  await button('保存').click()
  await expect.poll(() => server.inputsOf(adScreens.update)).toEqual([expect.objectContaining({ width: 0, height: 0 })])
})

test('AD-07 the size of a player that reports its size is shown and not sent', async () => {
  const server = open(WEB)
  await row().getByRole('button', { name: '编辑' }).click()
  await expect.element(page.getByText('1920×1080（由播放器上报）')).toBeVisible()
  expect(page.getByLabelText('屏幕宽度').query()).toBeNull()
  await page.getByLabelText('音量').fill('40')
  await button('保存').click()
  await expect.poll(() => server.inputsOf(adScreens.update).length).toBe(1)
  expect(server.inputsOf(adScreens.update)[0]).not.toHaveProperty('width')
})

test('AD-09 更换地址 warns that the old address ends, and shows the new address once', async () => {
  const server = open(SMIL)
  server.on(adScreens.smilKey, () => ok({ path: '/device/v1/ad/smil/abc/index.smil' }))
  await chooseMore('更换地址')
  await expect.element(page.getByText('旧地址立即失效', { exact: false })).toBeVisible()
  await button('更换').click()
  await expect.element(page.getByText(`${location.origin}/device/v1/ad/smil/abc/index.smil`)).toBeVisible()
  await expect.element(page.getByText('竖屏或非 1920×1080 的屏幕', { exact: false })).toBeVisible()
  expect(server.inputsOf(adScreens.smilKey)).toEqual([{ id: '7' }])
  await button('我已保存').click()
  await expect.element(page.getByText('地址只显示这一次', { exact: false })).not.toBeInTheDocument()
})

test('AD-09 a web player has no 更换地址', async () => {
  open(WEB)
  await row().getByRole('button', { name: '更多' }).click()
  await expect.element(page.getByRole('menuitem', { name: '解除配对' })).toBeVisible()
  expect(page.getByText('更换地址').query()).toBeNull()
})

test('AD-07 解除配对 asks for confirmation before a screen is unpaired', async () => {
  const server = open(WEB)
  await chooseMore('解除配对')
  await expect.element(page.getByText('解除屏幕「SCR-7」的配对？', { exact: false })).toBeVisible()
  expect(server.inputsOf(adScreens.unpair)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: '解除配对' }).click()
  await expect.poll(() => server.inputsOf(adScreens.unpair)).toEqual([{ id: '7' }])
})

test('AD-06 日程 in the row opens the agenda of the screen', async () => {
  const server = open(WEB)
  await row().getByRole('button', { name: '日程' }).click()
  await expect.element(page.getByText('屏幕日程 · SCR-7')).toBeVisible()
  await expect.poll(() => server.inputsOf(programChecks.agenda)[0]).toMatchObject({ sn: 'SCR-7' })
})

test('AD-07 the tab 广告播放 of a device shows the screen with its warnings and opens its agenda', async () => {
  const server = open({ ...WEB, muted: 1 }, <ScreenTab deviceId={7} sn="SCR-7" />)
  await expect.element(page.getByText('请在浏览器的网站设置中允许声音', { exact: false })).toBeVisible()
  await expect.element(page.getByText('春节（早餐时段）')).toBeVisible()
  await page.getByRole('button', { name: /屏幕日程/ }).click()
  await expect.element(page.getByText('屏幕日程 · SCR-7')).toBeVisible()
  await expect.poll(() => server.inputsOf(programChecks.agenda)[0]).toMatchObject({ sn: 'SCR-7' })
})

test('AD-07 the tab 广告播放 shows an empty state for a device without a screen', async () => {
  open({ ...WEB, id: 8, sn: 'SCR-71' }, <ScreenTab deviceId={7} sn="SCR-7" />)
  await expect.element(page.getByText('该设备还没有绑定屏幕')).toBeVisible()
})

test('the delivery of a program shows the last existing page when the second page has become empty', async () => {
  const server = start(<DeliveryDrawer id={1} name="早餐时段" onClose={() => {}} />)
  const screen = { ...(buildSample(DeliveryRow) as object), id: 7, sn: 'SCR-7', state: 5, reason: '' }
  let total = 21
  server.on(programChecks.delivery, ({ pageNum }) =>
    ok({ list: Number(pageNum) === 1 ? [screen] : [], total, states: [{ state: 5, count: total }], failures: [] }),
  )
  await expect.element(page.getByText('SCR-7')).toBeVisible()
  total = 20
  await page.getByRole('listitem', { name: '2' }).click()
  await expect.element(page.getByText('SCR-7')).toBeVisible()
  expect(server.inputsOf(programChecks.delivery).at(-1)).toMatchObject({ pageNum: '1' })
})

test('AD-05 the delivery of a program explains the state of SMIL players only when SMIL players have this state', async () => {
  const server = start(<DeliveryDrawer id={1} name="早餐时段" onClose={() => {}} />)
  const screen = { ...(buildSample(DeliveryRow) as object), id: 7, sn: 'SCR-7' }
  const answer = (state: number) => ({
    list: [{ ...screen, state, readyFiles: 1, totalFiles: 2, reason: '' }],
    total: 1,
    states: [{ state, count: 1 }],
    failures: [],
  })
  server.on(programChecks.delivery, () => ok(answer(5)))
  await expect.element(page.getByText('已获取清单 1')).toBeVisible()
  await expect.element(page.getByText('已获取清单：第三方播放器不上报文件', { exact: false })).toBeVisible()
  await expect.element(page.getByText('1/2')).toBeVisible()
})
