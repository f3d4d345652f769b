import { expect, test } from 'vitest'
import { BindInput } from './device.ts'

test('blanks of an activation code are removed', () => {
  expect(BindInput.parse({ agentId: 1, code: ' 797 984 ' }).code).toBe('797984')
  expect(BindInput.safeParse({ agentId: 1, code: '79798' }).success).toBe(false)
})
