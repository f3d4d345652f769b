import { expect, test } from 'vitest'
import { greeting } from './greeting.ts'

test('one is greeted by the hour of the console, not of the machine', () => {
  const at = (utc: string) => greeting(new Date(`2026-11-20T${utc}Z`))
  expect([at('16:30'), at('21:00'), at('04:00'), at('06:00'), at('11:00')]).toEqual([
    '夜深了',
    '早上好',
    '中午好',
    '下午好',
    '晚上好',
  ])
})
