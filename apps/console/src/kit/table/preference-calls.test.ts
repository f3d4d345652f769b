import { account } from '@oms/contract/account/account.ts'
import { expect, test } from 'vitest'
import { settings } from './preference-calls.ts'

test.each(Object.entries(settings))('the literal of %s is its contract entry', (name, literal) => {
  expect(account[name as keyof typeof settings]).toMatchObject(literal)
})
