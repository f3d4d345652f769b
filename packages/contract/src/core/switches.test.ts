import { expect, test } from 'vitest'
import * as z from 'zod'
import { recordCalls } from './record-calls.ts'
import { buildStatusChoices } from './status-labels.ts'
import { declareSwitches } from './switches.ts'

const LABELS = { on: '在售', off: '已下架', enable: '上架', disable: '下架' } as const

test('the titles and messages of the calls `enable` and `disable` use the verbs of the status labels', () => {
  const { enable, disable } = declareSwitches('/api/v1/device/part', 'device:part:enable', '备件', {
    statusLabels: LABELS,
  })
  expect(enable).toMatchObject({ path: '/api/v1/device/part/enable/:id', title: '上架备件', done: '已上架' })
  expect(disable).toMatchObject({ path: '/api/v1/device/part/disable/:id', title: '下架备件', done: '已下架' })
})

test('without status labels, the calls are named 启用 and 停用', () => {
  const { enable, disable } = declareSwitches('/api/v1/device/part', 'device:part:enable', '备件')
  expect([enable.title, enable.done, disable.title, disable.done]).toEqual(['启用备件', '已启用', '停用备件', '已停用'])
})

test('recordCalls passes the status labels to the calls `enable` and `disable`', () => {
  const shapes = { row: z.object({ id: z.int() }), input: z.object({}), filters: {}, sort: ['id'] as const }
  const { enable, disable } = recordCalls('/api/v1/device/part', 'device:part', '备件', {
    ...shapes,
    statusLabels: LABELS,
  })
  expect([enable.title, disable.title, enable.statusLabels]).toEqual(['上架备件', '下架备件', LABELS])
})

test('the choices of a status field contain the status labels by value', () => {
  expect(buildStatusChoices(LABELS)).toEqual({ 1: '在售', 0: '已下架' })
})
