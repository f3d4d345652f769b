import { expect, test } from 'vitest'
import SmallValidator from './small-validator.ts'

type Rules = ConstructorParameters<typeof SmallValidator>[0]

const problemsOf = (rule: Rules[string][number], value: unknown) =>
  new SmallValidator({ field: [rule] }).validate({ field: value }).then(
    () => [],
    (failure: Error & { errors?: { message: string }[] }) => failure.errors?.map(({ message }) => message) ?? failure,
  )

test('a required value must be there, and hold more than blanks where asked', async () => {
  const rule = { required: true, whitespace: true, message: '请输入' }
  for (const value of [undefined, null, '', [], '  ']) expect(await problemsOf(rule, value)).toEqual(['请输入'])
  for (const value of [0, false, 'a', [1]]) expect(await problemsOf(rule, value)).toEqual([])
})

test('a validator answers with its own words or with the rule’s', async () => {
  const validator = (_rule: unknown, value: unknown, done: (problem?: unknown) => void) =>
    done(value === 'good' ? undefined : new Error('不对'))
  expect(await problemsOf({ validator }, 'good')).toEqual([])
  expect(await problemsOf({ validator }, 'bad')).toEqual(['不对'])
  expect(await problemsOf({ validator, message: '改一改' }, 'bad')).toEqual(['改一改'])
})

test('a kind of rule nobody wrote is refused, not passed', async () => {
  expect(await problemsOf({ min: 3 } as never, 'ab')).toBeInstanceOf(TypeError)
})
