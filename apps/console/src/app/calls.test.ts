import { account } from '@oms/contract/account/account.ts'
import { expect, test } from 'vitest'
import { shellCalls } from './calls.ts'

test.each(Object.entries(shellCalls))('the literal of %s is its contract entry', (name, literal) => {
  expect(account[name as keyof typeof shellCalls]).toMatchObject(literal)
})
