import { expect, test } from 'vitest'
import { findFirstCertainHit, mergeGroups } from './palette-groups.ts'

const hit = (key: string) => ({ key, title: key, detail: '', to: `/${key}` })

test('the hit that Enter opens waits for the searches of the kinds before it, not for those after it', () => {
  const late = { title: '工单', hits: [], isPending: true }
  const found = { title: '设备', hits: [hit('d1')], isPending: false }
  expect(findFirstCertainHit([late, found])).toBeUndefined()
  expect(findFirstCertainHit([found, late])?.key).toBe('d1')
  expect(findFirstCertainHit([{ ...late, isPending: false }, found])?.key).toBe('d1')
})

test('a record that two lists contain is shown once, and a kind without hits has no heading', () => {
  const groups = [
    { title: '账号', hits: [hit('a'), hit('b')] },
    { title: '用户', hits: [hit('b')] },
    { title: '客户', hits: [] },
  ]
  expect(mergeGroups(groups)).toEqual([groups[0]])
})
