import { expect, test } from 'vitest'
import { describeListChanges, describeUnnamedItem } from './list-changes.ts'
import { isRecord } from './merge-conflict.ts'

test('a period is described by its times, and a stage by its position and percentage', () => {
  expect(describeUnnamedItem({ start: '08:00', end: '18:00' }, 0)).toBe('08:00–18:00')
  expect(describeUnnamedItem({ percent: 1000, minMinutes: 60 }, 0)).toBe('第 1 阶段 10%')
  expect(describeUnnamedItem({ value: 1 }, 0)).toBeUndefined()
})

test('a conflict about opening hours names the periods that were added and removed', () => {
  const base = [{ start: '08:00', end: '12:00' }]
  const value = [{ start: '09:00', end: '12:00' }]
  const nameOf = (item: unknown) => (isRecord(item) ? describeUnnamedItem(item, 0) : undefined)
  expect(describeListChanges({ value, other: base, base }, nameOf)).toBe(
    '共 1 项\n新增：09:00–12:00\n移除：08:00–12:00',
  )
})
