import { type Manifest, PLAY_MODE } from '@oms/contract/advertise/engine/manifest.ts'
import { buildAdPreview } from '@oms/contract/advertise/preview.ts'
import { programs } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { ProgramEditor, createEditorValues } from '#modules/advertise/programs/program-editor.tsx'
import { findFirstPlay } from '#modules/advertise/preview.tsx'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { ok, openTab, refusal, startServer } from '../browser-harness.tsx'

const TENANTS = [1, 2].map((id) => ({ id, name: `客户${id}`, tenantNo: `T${id}` }))
const OFFERED = ['早餐', '午餐', '晚餐'].map((adName, at) => {
  const rest = { orientation: 0, advertiser: '', thumbUrl: '', codec: '', validTo: null }
  return { id: at + 1, adName, adType: 4, duration: 4, ...rest }
})
const LIMITS = { validFrom: null, validTo: null, approvalUntil: null, linkUrl: null, text: null, files: [] }
const AD = { id: 1, verNo: 1, name: '早餐', type: 4 as const, ...LIMITS }
const MANIFEST = {
  ...buildAdPreview([{ ad: AD, ms: 4000 }], 'Asia/Shanghai'),
  programs: buildAdPreview([{ ad: AD, ms: 4000 }], 'Asia/Shanghai').programs.map((program) => ({
    ...program,
    id: 0,
    dayParts: [{ start: '06:00', end: '12:00' }],
  })),
  left: [],
} satisfies Manifest & { left: string[] }
const DRAW = 'POST /api/v1/advertise/program/manifest'
const ADS = 'GET /api/v1/advertise/program/option/ad'
const CONFLICT = 'POST /api/v1/advertise/program/conflict'
const DRY_RUN = 'POST /api/v1/advertise/program/dryRun'
const TARGETS = 'GET /api/v1/advertise/program/option/target'

let server: ReturnType<typeof startServer>
let tab: ReturnType<typeof openTab> | undefined
beforeEach(() => {
  sessionStorage.clear()
  server = startServer({
    [ADS]: () => ok({ list: OFFERED, total: OFFERED.length, pageNum: 1, pageSize: 20 }),
    [TARGETS]: () => ok({ list: [{ id: 7, name: 'SCR-7', detail: '', hasScreen: true }] }),
    'GET /api/v1/advertise/program/option/screen': () => ok({ list: [] }),
    'GET /api/v1/tenant/options/tenant': () => ok({ list: TENANTS }),
    [DRAW]: () => ok(MANIFEST),
    'POST /api/v1/advertise/program/files': () => ok({ files: [], packages: [] }),
  })
  tab = openTab(
    <ProgramEditor
      endpoint={programs.create}
      id={undefined}
      tenantId={undefined}
      initial={createEditorValues()}
      targets={[]}
    />,
  )
})
afterEach(() => {
  tab?.close()
  tab = undefined
})

const track = page.getByRole('region', { name: '节目单内容' })
/** Names of the chosen targets. */
const targets = () => {
  const select = document.querySelector('[id$="targetIds"]')?.closest('.ant-select')
  return [...(select?.querySelectorAll('.ant-select-selection-item-content') ?? [])].map((each) => each.textContent)
}
const order = () => [...document.querySelectorAll('.ad-row-text b')].map(({ textContent }) => textContent)
const add = (name: string) => page.getByRole('button', { name: `添加 ${name}` }).click()

test('AD-04 buttons add and move items of a program, update the total at once, and keep the focus on the moved row', async () => {
  for (const name of ['早餐', '午餐', '晚餐']) await add(name)
  await expect.element(track.getByText('共 3 条 · 总时长 00:12 · 每小时约 300 轮')).toBeVisible()
  const up = page.getByRole('button', { name: '第 3 条 晚餐 上移' })
  await up.click()
  expect(order()).toEqual(['早餐', '晚餐', '午餐'])
  await expect.element(page.getByRole('button', { name: '第 2 条 晚餐 上移' })).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  expect(order()).toEqual(['晚餐', '早餐', '午餐'])
  await expect.element(page.getByText('晚餐 已移到第 1 条')).toBeInTheDocument()
})

test('AD-04 the day strip and the preview show the edited program as soon as the form is complete', async () => {
  await expect.element(page.getByText('填写完整后显示预演')).toBeVisible()
  const preview = page.getByRole('button', { name: '预览', exact: true })
  await expect.element(preview).toBeDisabled()
  await add('早餐')
  const strip = page.getByRole('img', { name: /00:00–06:00 暂无播放内容；06:00–12:00 轮播，预览 100%/ })
  await expect.element(strip, { timeout: 10_000 }).toBeVisible()
  expect(server.inputsOf(DRAW).at(-1)).toMatchObject({ programName: '本节目单', items: [{ adId: 1 }] })
  await preview.click()
  await expect.element(page.getByTitle('预览节目单')).toBeInTheDocument()
})

test('AD-04 the day strip and the list of targets report a failed request with a retry, and not as missing input', async () => {
  server.on(DRAW, () => refusal(500, 'x'))
  server.on(TARGETS, () => refusal(500, 'x'))
  await add('早餐')
  const strip = page.getByRole('region', { name: '屏幕日程' })
  await expect.element(strip.getByText('服务器出错!')).toBeVisible()
  await expect.element(page.getByText('填写完整后显示预演')).not.toBeInTheDocument()
  server.on(DRAW, () => ok(MANIFEST))
  await strip.getByRole('button', { name: '重试' }).click()
  await expect.element(page.getByRole('button', { name: '预览', exact: true })).toBeEnabled()
  await expect.element(strip.getByRole('alert')).not.toBeInTheDocument()
  await page.getByText('型号', { exact: true }).click()
  await page.getByRole('combobox', { name: '投放对象' }).click()
  const list = page.getByRole('alert')
  await expect.element(page.getByText('选项加载失败')).toBeVisible()
  server.on(TARGETS, () => ok({ list: [{ id: 7, name: 'SCR-7', detail: '', hasScreen: true }] }))
  await list.getByRole('button', { name: '重试' }).click()
  await expect.element(page.getByTitle('SCR-7', { exact: true })).toBeVisible()
  expect(document.querySelector('.ant-message-notice')).toBeNull()
})

test('AD-04 choosing another tenant clears ads and targets; only ads and targets of this tenant are offered', async () => {
  await add('早餐')
  expect(order()).toEqual(['早餐'])
  await page.getByText('型号', { exact: true }).click()
  await page.getByRole('combobox', { name: '投放对象' }).click()
  await page.getByTitle('SCR-7', { exact: true }).click()
  await expect.poll(targets).toEqual(['SCR-7'])
  await page.getByLabelText('所属客户').click()
  await page.getByTitle('客户2（T2）').click()
  await expect.poll(order).toEqual([])
  expect(targets()).toEqual([])
  await expect.element(page.getByRole('radio', { name: '设备', exact: true })).toBeChecked()
  await expect.poll(() => server.inputsOf(ADS).at(-1)).toMatchObject({ tenantId: '2' })
  await expect.poll(() => server.inputsOf(TARGETS).at(-1)).toMatchObject({ targetType: '1', tenantId: '2' })
})

const finding = (text: string, screens: number) => ({ code: 'otherOrientation', text, screens, adId: null })
const FOUND = { screens: 1, sets: 1, from: '2026-11-27', to: '2026-12-26', errors: [] }
const DRY = {
  ...(buildSample(programChecks.draftDryRun.result) as object),
  screens: 1,
  windowHours: 24,
  firstDayPlays: 2589,
  isRestOfToday: false,
}

test('AD-05 the form shows the conflicts and the dry run of a new program without saving the program', async () => {
  server.on(CONFLICT, () => ok({ ...FOUND, warnings: [finding('屏幕的方向与部分广告不同', 1)] }))
  server.on(DRY_RUN, () => ok(DRY))
  await page.getByRole('button', { name: '冲突检查' }).click()
  await expect.element(page.getByText('请输入节目单名称')).toBeVisible()
  expect(server.inputsOf(CONFLICT)).toEqual([])
  await page.getByLabelText('节目单名称').fill('早间')
  await add('早餐')
  await page.getByRole('button', { name: '冲突检查' }).click()
  const list = () => [...document.querySelectorAll('.ant-alert .kit-plain li')].map(({ textContent }) => textContent)
  await expect.poll(list).toEqual(['屏幕的方向与部分广告不同'])
  await page
    .getByRole('button', { name: 'Close' })
    .or(page.getByRole('button', { name: '关闭' }))
    .click()
  server.on(CONFLICT, () => ok({ ...FOUND, screens: 5, warnings: [finding('屏幕的方向与部分广告不同', 2)] }))
  await page.getByRole('button', { name: '发布预演' }).click()
  await expect.element(page.getByText(/^首日预计播放 2,589 次/)).toBeVisible()
  expect(server.inputsOf(CONFLICT)).toMatchObject([{ programName: '早间', items: [{ adId: 1 }] }])
  expect(server.inputsOf(DRY_RUN)).toMatchObject([{ programName: '早间', items: [{ adId: 1 }] }])
  const saves = server.requests.filter(({ route }) => /^(POST|PUT) \/api\/v1\/advertise\/program$/.test(route))
  expect(saves).toEqual([])
})

test('AD-04 the preview of a program begins at the current or next play of the program', () => {
  const at = (time: string) => Date.parse(`2026-11-23T${time}:00+08:00`)
  expect(MANIFEST.programs[0]?.playMode).toBe(PLAY_MODE.sequence)
  expect(findFirstPlay(MANIFEST, 0, at('03:00'))).toBe(at('06:00'))
  expect(findFirstPlay(MANIFEST, 0, at('07:00'))).toBe(at('07:00'))
  expect(findFirstPlay(MANIFEST, 0, at('13:00'))).toBe(at('06:00') + 86_400_000)
})

test('Enter in a date field confirms the date, and does not submit the form', async () => {
  const field = page.getByLabelText('开始日期')
  await field.click()
  await field.fill('2031-05-04')
  await userEvent.keyboard('{Enter}')
  await expect.element(field).toHaveValue('2031-05-04')
  await new Promise((resolve) => setTimeout(resolve, 300))
  // A submitted form would also show errors for its name and its ads.
  const errors = [...document.querySelectorAll('.ant-form-item-explain-error')].map(({ textContent }) => textContent)
  expect(errors).toEqual(['结束日期不能早于开始日期'])
})
