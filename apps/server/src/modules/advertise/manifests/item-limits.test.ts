import { expect, test } from 'vitest'
import type { ItemLimit, ProgramBody } from '../schema.ts'
import { resolveItemLimits } from './manifest.ts'

const program = (from: ItemLimit, to: ItemLimit) => ({ items: [{ id: 1, from, to }] }) as unknown as ProgramBody
const limitsIn = (zone: string, from: ItemLimit, to: ItemLimit) =>
  resolveItemLimits(program(from, to), zone).items.map((item) =>
    [item.from, item.to].map((at) => at && new Date(at).toISOString()),
  )[0]

test('AD-04 the limits of an item are wall times in the zone of each screen', () => {
  const [from, to] = ['2026-12-01 08:00:30', '2026-12-24 22:00:00']
  expect(limitsIn('Asia/Shanghai', from, to)).toEqual(['2026-12-01T00:00:30.000Z', '2026-12-24T14:00:00.000Z'])
  expect(limitsIn('Europe/Berlin', from, to)).toEqual(['2026-12-01T07:00:30.000Z', '2026-12-24T21:00:00.000Z'])
  expect(limitsIn('Europe/Berlin', null, to)).toEqual([null, '2026-12-24T21:00:00.000Z'])
})

test('AD-04 a repeated wall time resolves to the first instant as a start and the last as an end, and a skipped wall time to the next instant', () => {
  const twice = '2026-10-25 02:30:00'
  expect(limitsIn('Europe/Berlin', twice, twice)).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'])
  const missing = '2026-03-29 02:30:00'
  expect(limitsIn('Europe/Berlin', missing, missing)).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-29T01:00:00.000Z'])
})

test('AD-04 a program without limits is the same object in every zone', () => {
  const body = program(null, null)
  expect(resolveItemLimits(body, 'Europe/Berlin')).toBe(body)
})
