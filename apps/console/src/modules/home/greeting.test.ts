import { expect, test } from 'vitest'
import { greetingForHour } from './home.ts'

test("the greeting depends on the hour in the vendor's time zone", () => {
  const at = (utc: string, zone = 'Asia/Shanghai') => greetingForHour(new Date(`2026-11-20T${utc}Z`), zone)
  expect([at('16:30'), at('21:00'), at('04:00'), at('06:00'), at('11:00')]).toEqual([
    '夜深了',
    '早上好',
    '中午好',
    '下午好',
    '晚上好',
  ])
  expect([at('11:00', 'Europe/Berlin'), at('04:00', 'America/New_York')]).toEqual(['中午好', '晚上好'])
})

test("the greeting depends on the hour in the browser's time zone when no zone is configured", () => {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const now = new Date('2026-11-20T06:00:00Z')
  expect(greetingForHour(now)).toBe(greetingForHour(now, zone))
})
