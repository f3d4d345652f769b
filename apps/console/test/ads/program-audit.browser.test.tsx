import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programs } from '@oms/contract/advertise/program.ts'
import { programPublish, type ReviewedVersionView } from '@oms/contract/advertise/program-publish.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { buildSample, createContractServer } from '#test/form-cases/contract-server.ts'
import { waitUntil } from '#test/form-cases/page-driver.ts'
import { CONFLICTS, DRY_RUN } from '#test/form-cases/program-checks.ts'
import { ProgramAudit } from '#modules/advertise/programs/audit-drawer.tsx'
import { held, ok, openTab, refusal } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

type Review = ResultOf<typeof programPublish.review>
type Item = ReviewedVersionView['items'][number]

const SAMPLE = buildSample(programPublish.review.result) as Review
const item = (itemId: number, adName: string, fields: Partial<Item> = {}): Item => ({
  itemId,
  adId: itemId,
  adName,
  adType: 1,
  orientation: 0,
  thumbUrl: '',
  codec: '',
  duration: 10,
  weight: 1,
  maxPlaysPerHour: 0,
  startDt: null,
  endDt: null,
  transition: 0,
  approvedVer: 1,
  enableStat: 1,
  validTo: null,
  approvalUntil: null,
  ...fields,
})
const version = (verNo: number, fields: Partial<ReviewedVersionView>): ReviewedVersionView => ({
  ...SAMPLE.version,
  verNo,
  state: 1,
  programName: '早间',
  publishByName: '秦岚',
  dateFrom: '2026-11-01',
  dateTo: '2026-12-31',
  weekdays: 31,
  dayParts: [{ start: '06:30', end: '10:00' }],
  playMode: 1,
  priority: 3,
  insertMode: 0,
  shareOfVoice: null,
  resolution: '',
  isDefault: 0,
  screens: 3,
  targetType: 1,
  targetCount: 2,
  targets: [
    { id: 1, name: 'SCR-1' },
    { id: 2, name: 'SCR-2' },
  ],
  items: [item(1, '早餐', { duration: 15, weight: 2 }), item(2, '午餐')],
  totalDuration: 25,
  ...fields,
})
const IN_FORCE = version(1, {
  state: 2,
  priority: 5,
  dayParts: [],
  targets: [
    { id: 1, name: 'SCR-1' },
    { id: 9, name: 'SCR-9' },
  ],
  items: [item(1, '早餐'), item(7, '旧广告')],
})
const review = (fields: Partial<Review> = {}): Review => ({
  ...SAMPLE,
  version: version(2, {}),
  inForce: IN_FORCE,
  waitingVer: 2,
  status: 2,
  ...fields,
})
const WARNED = {
  ...CONFLICTS,
  warnings: [{ code: 'hides', text: '将使《午间》有 2 小时不会播放', screens: 4, adId: null }],
}

function open(answer: () => unknown, permissions?: string[]) {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(programPublish.review, answer)
  server.on(programChecks.dryRun, () => ok(DRY_RUN))
  server.on(programChecks.conflict, () => ok(WARNED))
  server.on(programs.versions, () => ok({ list: [], total: 0, pageNum: 1, pageSize: 50 }))
  const close = vi.fn<() => void>()
  const row = { id: 3, programName: '已改名', waitingVer: 2 }
  tab = openTab(<ProgramAudit row={row} onClose={close} />, permissions)
  return { server, close }
}
const expectText = (locator: Locator, text: string) =>
  waitUntil(() => expect(locator.element().textContent).toContain(text))
const region = (name: string) => page.getByRole('region', { name })
const rowsOf = (name: string) =>
  [...region(name).element().querySelectorAll('dl > div')].map((row) => [
    row.querySelector('dt')!.textContent,
    row.querySelector('dd')!.textContent.trim(),
    row.className,
  ])

test('AD-05 the approver sees the waiting version, its effect, and its changes since the version in force', async () => {
  const { server } = open(() => ok(review()))
  await expectText(page.getByRole('dialog'), '审批「早间」版本 2')
  await expectText(region('版本内容'), '与生效中的版本 1 比较')
  const rows = rowsOf('版本内容')
  expect(rows[1]).toEqual([
    '投放对象已修改',
    expect.stringMatching(/^2 台设备SCR-1、SCR-2新增 1 个：SCR-2移除 1 个：SCR-9$/),
    'ad-changed',
  ])
  expect(rows).toContainEqual(['投放日期', '2026-11-01 ~ 2026-12-31', ''])
  expect(rows).toContainEqual(['星期', '周一至周五', ''])
  expect(rows).toContainEqual(['优先级已修改', '5 3', 'ad-changed'])
  expect(rows.find(([title]) => title === '时段已修改')?.[1]).toMatch(/^全天 06:30–10:00/)
  const items = [...region('广告').element().querySelectorAll('li')].map((each) => each.textContent)
  expect(items).toEqual([
    '早餐已修改图片 · 时长 00:15 · 权重 2原为 时长 00:10 · 权重 1',
    '午餐新增图片 · 时长 00:10',
    '旧广告图片 · 时长 00:10',
  ])
  await expectText(region('发布预演'), '将投放到 4 块屏幕，新增下载 0 B提交时为 3 块屏幕')
  await expectText(region('冲突检查'), '通过后会有以下影响将使《午间》有 2 小时不会播放')
  expect(server.inputsOf(programChecks.dryRun)).toEqual([{ id: '3', verNo: '2' }])
  expect(server.inputsOf(programChecks.conflict)).toEqual([{ id: '3', verNo: '2' }])
})

test('AD-05 the decision contains the number of the shown version', async () => {
  const { server, close } = open(() => ok(review()))
  await page.getByRole('radio', { name: '驳回' }).click()
  await page.getByRole('button', { name: /^驳\s?回$/ }).click()
  await expect.element(page.getByText('请填写驳回原因')).toBeVisible()
  await page.getByPlaceholder('请填写驳回原因').fill('时长不足')
  await page.getByRole('button', { name: /^驳\s?回$/ }).click()
  await waitUntil(() => expect(close).toHaveBeenCalled())
  expect(server.inputsOf(programPublish.audit)).toEqual([{ id: 3, verNo: 2, auditStatus: 3, remark: '时长不足' }])
})

test('AD-05 a version that was withdrawn meanwhile cannot be decided, and the version that waits is offered', async () => {
  const versions: Record<string, Review> = {
    2: review({ version: version(2, { state: 5 }), waitingVer: 3 }),
    3: review({ version: version(3, { programName: '早间新版' }), waitingVer: 3 }),
  }
  const { server } = open(() => ok(versions[String(server.inputsOf(programPublish.review).at(-1)!['verNo'])]))
  await expectText(page.getByRole('alert'), '版本 2 已被撤回，现在等待审批的是版本 3')
  expect(page.getByRole('radio').elements()).toEqual([])
  expect(server.inputsOf(programChecks.dryRun)).toEqual([])
  await page.getByRole('button', { name: '查看版本 3' }).click()
  await expectText(page.getByRole('dialog'), '审批「早间新版」版本 3')
  await expect.element(page.getByRole('radio', { name: '通过' })).toBeVisible()
})

test('AD-05 the review shows a loading state, and an error with a retry button', async () => {
  const answers = [held(), held()]
  let asked = 0
  open(() => answers[asked++]!.respond())
  await expectText(page.getByRole('dialog'), '审批「已改名」版本 2')
  answers[0]!.answer(refusal(500, '服务器内部错误'))
  await page.getByRole('button', { name: /重\s?试/ }).click()
  answers[1]!.answer(ok(review({ inForce: null })))
  await expectText(region('版本内容'), '目前没有生效中的版本')
  expect(region('版本内容').element().querySelector('.ad-changed')).toBeNull()
})

test('AD-05 the initial focus is on the content, and Tab moves to the preview first', async () => {
  open(() => ok(review()))
  await expect.element(region('版本内容')).toBeVisible()
  await waitUntil(() => expect(document.activeElement?.className).toContain('kit-row'))
  await userEvent.keyboard('{Tab}')
  expect(document.activeElement?.textContent).toMatch(/预\s?览/)
})

test('AD-05 an approver without the permission to open programs sees the content, without checks and preview', async () => {
  open(() => ok(review()), ['advertiseManage:ProgramList:list', 'advertiseManage:ProgramList:audit'])
  await expect.element(region('版本内容')).toBeVisible()
  await expect.element(page.getByText('您没有查询节目单的权限，不能查看发布预演、冲突检查和预览')).toBeVisible()
  expect(region('发布预演').query()).toBeNull()
  expect(page.getByRole('button', { name: /预\s?览/ }).query()).toBeNull()
  await expect.element(page.getByRole('radio', { name: '通过' })).toBeVisible()
})
