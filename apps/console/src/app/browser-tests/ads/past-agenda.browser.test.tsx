import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { screenPlays } from '@oms/contract/advertise/screen-plays.ts'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { AgendaDrawer } from '#modules/advertise/programs/agenda-drawer.tsx'
import { ok, setButtons } from '../browser-harness.tsx'
import { useContractPage } from '../contract-page.tsx'

const start = useContractPage()
const AT = Date.parse('2026-11-24T00:25:05Z')
const SCREEN = { id: 7, name: 'SCR-7', devName: '大厅', hasScreen: true }
const AGENDA = {
  deviceId: 7,
  sn: 'SCR-7',
  zone: 'Asia/Shanghai',
  isConsoleZone: true,
  now: AT + 86_400_000,
  at: AT,
  from: Date.parse('2026-11-23T16:00:00Z'),
  to: Date.parse('2026-11-24T16:00:00Z'),
  isPast: true,
  isRecorded: false,
  isPaired: true,
  planned: {
    programId: 1,
    programName: '早餐',
    adId: 2,
    adName: '咖啡',
    start: AT - 5000,
    ms: 15_000,
    rule: 'loop',
    hold: false,
  },
  reported: null,
  online: 0,
  lastReportTime: null,
  differs: false,
  because: [
    { programId: 1, name: '早餐', status: 'playing', text: '正在播放' },
    { programId: 3, name: '夜间', status: 'blocked', text: '超出屏幕容量' },
  ],
  segments: [],
}
const play = (n: number, fields: object = {}) => ({
  reportId: `${n}`,
  at: AT - 5000 + n * 60_000,
  ms: 15_000,
  planned: 15_000,
  adId: 2,
  adName: '咖啡',
  programId: 1,
  programName: '早餐',
  programVer: 4,
  result: 1,
  clock: 2,
  count: 1,
  isCounted: true,
  ...fields,
})
const PLAYS = {
  list: [play(0), play(1, { result: 3, isCounted: false, ms: 400 }), play(2, { clock: 0 })],
  total: 23,
  pageNum: 1,
  zone: 'Asia/Shanghai',
  at: AT,
  day: '2026-11-24',
  keptFrom: '2026-10-21',
  rejects: [{ reason: 'overlap', count: 3 }],
}

const asked: object[] = []
async function open(buttons = ['*:*:*'], agenda: object = AGENDA) {
  const server = start(<AgendaDrawer onClose={() => {}} />)
  setButtons(buttons)
  server.on(programOptions.screens, () => ok({ list: [SCREEN] }))
  server.on(programChecks.agenda, () => ok(agenda))
  server.on(screenPlays.list, (input) => {
    asked.push(input)
    return ok({ ...PLAYS, pageNum: Number(input['pageNum'] ?? 1) })
  })
  await page.getByRole('combobox', { name: '屏幕' }).click()
  await expect.element(page.getByText('SCR-7（大厅）')).toBeVisible()
  await userEvent.keyboard('{Enter}')
}

test('AD-12 a past agenda explains how its plan is computed, and lists the plays that the screen reported', async () => {
  await open()
  await expect.element(page.getByText(/^2026-11-24 08:25:05 应播放/)).toBeVisible()
  await expect.element(page.getByText(/^按当时生效的节目单版本和已通过的广告推算/)).toBeVisible()
  await expect.element(page.getByText(/^系统升级前没有记录暂停和撤回的时间/)).toBeVisible()
  await expect
    .element(page.getByText('2026-11-24 共 23 条播放上报；另有 3 条上报未被接受：与已计入的播放重叠 3 条'))
    .toBeVisible()
  await expect.element(page.getByText('不计入', { exact: true })).toBeVisible()
  await expect.element(page.getByText('只计次数，不计时长和时段')).toBeVisible()
  expect(document.querySelectorAll('.ad-play-at')).toHaveLength(1)
  expect(page.getByText(/屏幕离线/).elements()).toEqual([])
  await expect.element(page.getByText('超出屏幕容量')).toBeVisible()
})

test('AD-12 a click on a page number requests this page of the plays', async () => {
  await open()
  await page.getByTitle('2', { exact: true }).click()
  await expect.poll(() => asked.at(-1)).toMatchObject({ sn: 'SCR-7', pageNum: '2' })
})

test('AD-12 the plays of a screen are hidden from an account without the permission of the statistics', async () => {
  asked.length = 0
  await open(['advertiseManage:ProgramList:query'])
  await expect.element(page.getByText(/^2026-11-24 08:25:05 应播放/)).toBeVisible()
  expect(page.getByText('实际播放', { exact: true }).elements()).toEqual([])
  expect(asked).toEqual([])
})

test('AD-12 a past agenda of a time without pairing has a warning instead of a plan', async () => {
  const planned = { ...AGENDA.planned, programId: 0, programName: '', adId: 0, adName: '' }
  await open(['*:*:*'], { ...AGENDA, planned, isPaired: false, because: [] })
  await expect.element(page.getByText('该屏幕当时没有配对，不播放节目单')).toBeVisible()
  expect(document.body.textContent).not.toContain('时间轴按所选时刻')
})

test('AD-12 the agenda of a screen in another zone names the zone, and a future moment is not called the present', async () => {
  const at = AT
  const fields = { zone: 'America/New_York', isConsoleZone: false, isPast: false, at, now: at - 3_600_000 }
  await open(['*:*:*'], { ...AGENDA, ...fields, planned: { ...AGENDA.planned, start: at } })
  await expect.element(page.getByText(/^时间均为屏幕所在时区 America\/New_York 的时间/)).toBeVisible()
  await expect.element(page.getByText('将播放', { exact: true })).toBeVisible()
})
