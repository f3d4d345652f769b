import { afterEach, expect, test } from 'vitest'
import { setTimeZone } from '#core/text/format.ts'
import { parseRange } from './stat-range.ts'

afterEach(() => setTimeZone('Asia/Shanghai'))

test('the statistics cover thirty days up to today in the configured time zone', () => {
  const now = new Date('2026-02-28T16:30:00Z')
  expect(parseRange({}, now)).toEqual({ startDate: '2026-01-31', endDate: '2026-03-01' })
  setTimeZone('America/New_York')
  expect(parseRange({ tenantId: '7' }, now)).toEqual({ startDate: '2026-01-30', endDate: '2026-02-28', tenantId: 7 })
})
