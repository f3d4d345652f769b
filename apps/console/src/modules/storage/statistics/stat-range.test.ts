import { expect, test } from 'vitest'
import { addDays, flowPath, parseRange } from './stat-range.ts'

test('the statistics cover the last 30 days unless the URL contains other dates', () => {
  const now = new Date('2026-03-01T04:00:00Z')
  expect(parseRange(new URLSearchParams(), now)).toEqual({ startDate: '2026-01-31', endDate: '2026-03-01' })
  expect(parseRange(new URLSearchParams('startDate=2026-01-01&tenantId=7'), now)).toEqual({
    startDate: '2026-01-01',
    endDate: '2026-03-01',
    tenantId: 7,
  })
})

test('the link of a figure contains the first and the last day of the statistics', () => {
  expect(flowPath({ startDate: '2026-01-01', endDate: '2026-01-31' }, 9, { packageId: 3 })).toBe(
    '/ossManage/deviceList?flow=9&flowBegin=2026-01-01&flowEnd=2026-01-31&packageId=3',
  )
  expect(addDays('2026-02-27', 7)).toBe('2026-03-06')
})
