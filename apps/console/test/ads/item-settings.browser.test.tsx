import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { SettingsDialog } from '#modules/advertise/timeline/track-row.tsx'
import { openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const ITEM = { adName: '早餐', weight: 1, maxPlaysPerHour: 0, transition: 0, startDt: '2026-11-28 10:00:00' }

test.each([
  ['2026-11-28 10:00:00', false],
  ['2026-11-28 10:00:01', true],
])('AD-04 the settings of an item accept the end %s only after the start: %s', async (endDt, isSaved) => {
  const save = vi.fn<(change: object) => void>()
  tab = openTab(<SettingsDialog item={{ ...ITEM, endDt } as never} onSave={save} onClose={() => {}} />)
  await page.getByRole('button', { name: '确定' }).click()
  if (isSaved) await expect.poll(() => save.mock.calls).toMatchObject([[{ endDt, startDt: ITEM.startDt }]])
  else await expect.element(page.getByText('结束时间应晚于开始时间')).toBeVisible()
  expect(save.mock.calls).toHaveLength(isSaved ? 1 : 0)
})
