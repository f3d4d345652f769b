import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { AgendaDrawer } from '#modules/advertise/programs/agenda-drawer.tsx'
import { ok } from '../browser-harness.tsx'
import { useContractPage } from '../contract-page.tsx'

const start = useContractPage()
const AT = Date.parse('2026-11-24T00:25:05Z')
const AGENDA = {
  deviceId: 7,
  sn: 'SCR-7',
  zone: 'America/New_York',
  isConsoleZone: false,
  now: AT - 3_600_000,
  at: AT,
  from: Date.parse('2026-11-23T16:00:00Z'),
  to: Date.parse('2026-11-24T16:00:00Z'),
  planned: {
    programId: 1,
    programName: '早餐',
    adId: 2,
    adName: '咖啡',
    start: AT,
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

test('AD-12 the agenda of a screen in another time zone names the zone, and a future time is not labelled as the current time', async () => {
  const server = start(<AgendaDrawer screen={{ id: 7, sn: 'SCR-7' }} onClose={() => {}} />)
  server.on(programOptions.screens, () => ok({ list: [] }))
  server.on(programChecks.agenda, () => ok(AGENDA))
  await expect.element(page.getByText(/^时间均为屏幕所在时区 America\/New_York 的时间/)).toBeVisible()
  await expect.element(page.getByText('将播放', { exact: true })).toBeVisible()
  await expect.element(page.getByText('超出屏幕容量')).toBeVisible()
})
