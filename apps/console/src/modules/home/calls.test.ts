import { accounts } from '@oms/contract/account/account-list.ts'
import { account } from '@oms/contract/account/account.ts'
import { home, DISTRIBUTIONS, TREND_DAYS, TREND_METRICS } from '@oms/contract/home/home.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { expect, test } from 'vitest'
import { homeCalls, TREND_DAYS_CHOICES, METRIC_WORDS, DISTRIBUTION_LABELS } from './home.ts'

test.each(Object.entries(homeCalls))(
  'the copy of the call %s on the home page equals the contract entry',
  (name, literal) => {
    expect(
      { ...home, detail: account.detail, claim: feedback.claim, unlock: accounts.unlock }[
        name as keyof typeof homeCalls
      ],
    ).toMatchObject(literal)
  },
)

test('the copied texts of the home page equal the texts of the contract', () => {
  expect([METRIC_WORDS, DISTRIBUTION_LABELS, TREND_DAYS_CHOICES]).toEqual([TREND_METRICS, DISTRIBUTIONS, TREND_DAYS])
})
