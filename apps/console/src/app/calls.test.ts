import { account } from '@oms/contract/account/account.ts'
import { expect, test } from 'vitest'
import { shellCalls } from './calls.ts'

test.each(Object.entries(shellCalls))(
  'the copy of the call %s in the console layout equals the contract entry',
  (name, literal) => {
    expect(account[name as keyof typeof shellCalls]).toMatchObject(literal)
  },
)
