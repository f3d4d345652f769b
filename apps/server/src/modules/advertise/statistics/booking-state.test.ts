import { expect, test } from 'vitest'
import { computeBookingState } from './statistics-booking.service.ts'

test('AD-12 the state of a booking is computed from its dates and from the plays that were due', () => {
  const at = { dateFrom: '2026-11-16', dateTo: '2026-11-29', booked: 10, due: 5, count: 4, today: '2026-11-25' }
  expect([
    computeBookingState(at),
    computeBookingState({ ...at, count: 5 }),
    computeBookingState({ ...at, today: '2026-11-30' }),
    computeBookingState({ ...at, today: '2026-11-15' }),
    computeBookingState({ ...at, count: 10 }),
  ]).toEqual([2, 1, 4, 0, 3])
})
