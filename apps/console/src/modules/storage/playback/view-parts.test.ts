import { expect, test } from 'vitest'
import { splitIntoViewRanges } from './view-parts.ts'

const at = (time: string) => `2026-11-20 ${time}`
const range = (begin: string, end: string) => ({ begin: at(begin), end: at(end) })

test('one view covers all recordings within 30 minutes and ends with the last recording', () => {
  expect(splitIntoViewRanges([range('08:00:00', '08:02:00'), range('08:10:00', '08:12:00')])).toEqual([
    range('08:00:00', '08:12:00'),
  ])
})

test('a long recording is split into several views, and a later recording gets its own view', () => {
  expect(splitIntoViewRanges([range('08:00:00', '09:10:00'), range('12:00:00', '12:01:00')])).toEqual([
    range('08:00:00', '08:30:00'),
    range('08:30:00', '09:00:00'),
    range('09:00:00', '09:10:00'),
    range('12:00:00', '12:01:00'),
  ])
  expect(splitIntoViewRanges([])).toEqual([])
})
