import { account } from '@oms/contract/account.ts'
import { home } from '@oms/contract/home.ts'
import { expect, test } from 'vitest'
import { calls } from './calls.ts'

test.each(Object.entries(calls))('the literal of %s is its contract entry', (name, literal) => {
  expect({ ...home, detail: account.detail }[name as keyof typeof calls]).toMatchObject(literal)
})
