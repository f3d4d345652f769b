import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { adScreens } from '@oms/contract/advertise/screen.ts'
import { afterEach, expect, test } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { AgendaDrawer } from '#modules/advertise/programs/agenda-drawer.tsx'
import { NoScreensWarning } from '#modules/advertise/programs/check-dialogs.tsx'
import { Targets } from '#test/form-cases/targets-form.tsx'
import { ok, openTab, startServer } from '../browser-harness.tsx'

const TARGETS = `GET ${programOptions.targets.path}`
const SCREENS = `GET ${programOptions.screens.path}`

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const chosen = () => page.getByRole('status')
const link = () => page.getByRole('link', { name: '去配对' })

test('AD-04 an unpaired device is named with the reason and cannot be chosen as a target', async () => {
  startServer({ [TARGETS]: () => ok({ list: [{ id: 7, name: 'SCR-7', detail: '大堂', hasScreen: false }] }) })
  tab = openTab(<Targets />)
  await page.getByRole('combobox').click()
  await userEvent.keyboard('SCR-7')
  const option = page.getByTitle('SCR-7（大堂，未配对，不能选择）')
  await expect.element(option).toHaveClass(/ant-select-item-option-disabled/)
  clickElement(option)
  await userEvent.keyboard('{Enter}')
  await expect.element(chosen()).toHaveTextContent('none')
})

test('AD-04 the picker of screens says that only paired screens are offered, and links to the pairing', async () => {
  startServer({ [TARGETS]: () => ok({ list: [] }) })
  tab = openTab(<Targets />)
  await expect.element(page.getByText('只能选择已配对的屏幕，去配对', { exact: false })).toBeVisible()
  await expect.element(link()).toHaveAttribute('href', '/advertiseManage/ProgramList/screens')
  await page.getByRole('combobox').click()
  await expect.element(page.getByText('没有找到已配对的屏幕')).toBeVisible()
})

test('AD-04 an account that may not pair screens sees whom to ask in place of the link', async () => {
  startServer({ [TARGETS]: () => ok({ list: [] }) })
  tab = openTab(<Targets />, [programOptions.targets.access])
  await expect.element(page.getByText('联系管理屏幕的人员配对', { exact: false })).toBeVisible()
  expect(link().query()).toBeNull()
  expect(adScreens.pair.access).not.toBe(programOptions.targets.access)
})

test('AD-04 a group without a paired screen is marked and can be chosen', async () => {
  startServer({ [TARGETS]: () => ok({ list: [{ id: 3, name: '门店', detail: '', hasScreen: false }] }) })
  tab = openTab(<Targets />)
  await page.getByText('分组', { exact: true }).click()
  await expect.element(page.getByText('只投放到其中已配对的屏幕，去配对', { exact: false })).toBeVisible()
  await page.getByRole('combobox').click()
  await page.getByTitle('门店（没有已配对的屏幕）').click()
  await expect.element(chosen()).toHaveTextContent('3')
})

/** Clicks the element itself, not a point of the window: the list of options moves while a drawer opens. */
const clickElement = (locator: Locator) => (locator.element() as HTMLElement).click()

test('AD-06 the agenda names an unpaired device and cannot open it', async () => {
  const server = startServer({
    [SCREENS]: () => ok({ list: [{ id: 7, name: 'SCR-7', devName: '', hasScreen: false }] }),
  })
  tab = openTab(<AgendaDrawer onClose={() => {}} />)
  await page.getByRole('combobox', { name: '屏幕' }).click()
  const unpaired = page.getByTitle('SCR-7（未配对，不能选择）')
  await expect.element(unpaired).toBeInTheDocument()
  clickElement(unpaired)
  await expect.element(page.getByText('选择屏幕后显示正在播放的内容和原因')).toBeVisible()
  expect(server.inputsOf(`GET ${programChecks.agenda.path}`)).toEqual([])
})

test('AD-05 the dry run of targets without a paired screen links to the pairing', async () => {
  startServer({})
  tab = openTab(<NoScreensWarning of={{ hasTargets: true }} />)
  await expect.element(page.getByText('没有符合条件的屏幕')).toBeVisible()
  await expect.element(link()).toBeVisible()
})
