import type { ScreenRow } from '@oms/contract/advertise/screen.ts'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { ScreenNotes } from '#modules/advertise/screens/screen-cells.tsx'
import { waitUntil } from '#test/form-cases/page-driver.ts'
import { openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const FINE = {
  playerKind: 3,
  clockOffsetMs: 999,
  offlineReady: 1,
  muted: 0,
  covered: 0,
  smilReplaced: 0,
  hasSmilAddress: 1,
  leftPrograms: 0,
}

test('AD-07 the list of screens shows a note for each problem of a screen: clock, sound, HTTPS, player, URL, storage', async () => {
  const rows = [
    { ...FINE, clockOffsetMs: -1200 },
    { ...FINE, playerKind: 1, muted: 1 },
    { ...FINE, playerKind: 2, muted: 1 },
    { ...FINE, covered: 1 },
    { ...FINE, offlineReady: 0 },
    { ...FINE, smilReplaced: 1 },
    { ...FINE, leftPrograms: 2 },
    { ...FINE, hasSmilAddress: 0 },
    { ...FINE, playerKind: 1, hasSmilAddress: 0 },
    FINE,
    { ...FINE, clockOffsetMs: null },
  ]
  tab = openTab(
    <ol>
      {rows.map((row, at) => (
        <li key={at}>
          <ScreenNotes row={row as ScreenRow} />
        </li>
      ))}
    </ol>,
  )
  await waitUntil(() => expect(document.querySelectorAll('ol li')).toHaveLength(rows.length))
  expect([...document.querySelectorAll('ol li')].map(({ textContent }) => textContent)).toEqual([
    '时钟偏差 1.2 秒',
    '浏览器已静音',
    '播放器已静音',
    '页面被遮挡',
    '未启用HTTPS',
    '播放器已更换',
    '2 个节目单超出容量',
    '地址已失效',
    '-',
    '-',
    '-',
  ])
  await page.getByText('未启用HTTPS', { exact: true }).click()
  await expect.element(page.getByText('未启用HTTPS，断网重启后无法播放')).toBeVisible()
})
