import { account } from '@oms/contract/account/account.ts'
import { expect, test } from 'vitest'
import { preferenceCalls } from './preference-calls.ts'

test.each(Object.entries(preferenceCalls))(
  'the copy of the call %s in the table kit equals the contract entry',
  (name, literal) => {
    expect(account[name as keyof typeof preferenceCalls]).toMatchObject(literal)
  },
)
