import { account } from '@oms/contract/account/account.ts'
import { expect, test } from 'vitest'
import { shell } from './calls.ts'

test.each(Object.entries(shell))('the literal of %s is its contract entry', (name, literal) => {
  expect(account[name as keyof typeof shell]).toMatchObject(literal)
})
