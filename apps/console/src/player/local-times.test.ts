import { expect, test } from 'vitest'
import { nextReloadTime } from './daily-reload.ts'
import { isWithinDownloadWindow } from './downloads/download-window.ts'

const at = (text: string) => Date.parse(text)

test('AD-07 the page reloads at 04:00 in the zone of the screen', () => {
  expect(nextReloadTime('Asia/Shanghai', at('2026-11-23T03:59:30+08:00'))).toBeLessThan(at('2026-11-23T04:01:00+08:00'))
  expect(nextReloadTime('Asia/Shanghai', at('2026-11-23T12:00:00+08:00'))).toBe(at('2026-11-24T04:00:00+08:00'))
  expect(nextReloadTime('America/New_York', at('2026-11-23T04:00:00-05:00'))).toBe(at('2026-11-24T04:00:00-05:00'))
})

test('AD-07 a download window may cross midnight', () => {
  const night = ['22:00', '06:00'] as const
  const within = (time: string) => isWithinDownloadWindow(night, 'Asia/Shanghai', at(`2026-11-23T${time}:00+08:00`))
  expect(['21:59', '22:00', '05:59', '06:00'].map(within)).toEqual([false, true, true, false])
  expect(isWithinDownloadWindow(['00:00', '06:00'], 'Asia/Shanghai', at('2026-11-23T07:00:00+08:00'))).toBe(false)
  expect(isWithinDownloadWindow(null, 'Asia/Shanghai', 0)).toBe(true)
})
