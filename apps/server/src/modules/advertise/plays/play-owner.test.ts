import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findPlayOwner } from './ingest.ts'

const HOUR_MS = 3_600_000
/** A device that belonged to tenant 7, then to 8, then to 7 again. */
const ownerships = [
  { tenantId: 7, from: -Infinity, until: 10 * HOUR_MS },
  { tenantId: 8, from: 10 * HOUR_MS, until: 20 * HOUR_MS },
  { tenantId: 7, from: 20 * HOUR_MS, until: Infinity },
]
const ownerOf = (programTenant: number, start: number, clock: 0 | 1 | 2 = 2) =>
  findPlayOwner(ownerships, { tenantId: programTenant }, { start, clock })

test('AD-10 a play counts for the tenant that owned the device and published the program at that time', () => {
  const hours = [5, 15, 25].map((hour) => hour * HOUR_MS)
  expect(hours.map((start) => ownerOf(7, start))).toEqual([7, undefined, 7])
  expect(hours.map((start) => ownerOf(8, start))).toEqual([undefined, 8, undefined])
  expect(hours.map((start) => ownerOf(1, start))).toEqual([7, 8, 7])
  expect(ownerOf(9, 5 * HOUR_MS)).toBeUndefined()
})

test("AD-10 plays just before a move count for the new tenant's programs, because the player's clock may be slow", () => {
  expect(ownerOf(8, 10 * HOUR_MS - 60_000)).toBe(8)
  expect(ownerOf(8, 9 * HOUR_MS)).toBeUndefined()
  expect(ownerOf(7, 10 * HOUR_MS)).toBeUndefined()
})

test('AD-10 a play without a trusted clock counts only for the present tenant of the device', () => {
  expect([ownerOf(7, 15 * HOUR_MS, 0), ownerOf(8, 15 * HOUR_MS, 0), ownerOf(1, 15 * HOUR_MS, 0)]).toEqual([
    7,
    undefined,
    7,
  ])
})

test('AD-10 a play never counts for a tenant that did not own the device, with any ownership history', () => {
  const tenants = fc.integer({ min: 1, max: 5 })
  const moves = fc.array(fc.tuple(tenants, fc.integer({ min: 1, max: 50 * HOUR_MS })), { maxLength: 6 })
  fc.assert(
    fc.property(tenants, moves, tenants, fc.integer({ min: 0, max: 300 * HOUR_MS }), (last, past, program, start) => {
      let from = -Infinity
      let end = 0
      const history = past.map(([tenantId, ms]) => {
        const ownership = { tenantId, from, until: (end += ms) }
        from = end
        return ownership
      })
      const all = [...history, { tenantId: last, from, until: Infinity }]
      const owner = findPlayOwner(all, { tenantId: program }, { start, clock: 2 })
      const atStart = all.find(({ until }) => start < until)!.tenantId
      if (program === 1) expect(owner).toBe(atStart)
      else if (atStart === program) expect(owner).toBe(program)
      else expect([undefined, program]).toContain(owner)
    }),
  )
})
