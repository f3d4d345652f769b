import { account } from '@oms/contract/account/account.ts'
import { home, DISTRIBUTIONS, TREND_DAYS, TREND_METRICS } from '@oms/contract/home/home.ts'
import { expect, test } from 'vitest'
import { homeCalls } from './calls.ts'
import { TREND_DAYS_CHOICES, METRIC_WORDS, DISTRIBUTION_LABELS } from './words.ts'

test.each(Object.entries(homeCalls))('the literal of %s is its contract entry', (name, literal) => {
  expect({ ...home, detail: account.detail }[name as keyof typeof homeCalls]).toMatchObject(literal)
})

test('the literal texts are equal to those of the contract', () => {
  expect([METRIC_WORDS, DISTRIBUTION_LABELS, TREND_DAYS_CHOICES]).toEqual([TREND_METRICS, DISTRIBUTIONS, TREND_DAYS])
})
