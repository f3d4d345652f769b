import type { FormItemProps } from 'antd'
import { expect, test } from 'vitest'
import type { SupportedFormRule } from './form-rules.ts'
import SmallValidator from './small-validator.ts'

type Rules = ConstructorParameters<typeof SmallValidator>[0]

const problemsOf = (rule: Rules[string][number], value: unknown) =>
  new SmallValidator({ field: [rule] }).validate({ field: value }).then(
    () => [],
    (failure: Error & { errors?: { message: string }[] }) => failure.errors?.map(({ message }) => message) ?? failure,
  )

test('a required field refuses a missing value, and also blanks when `whitespace` is set', async () => {
  const rule = { required: true, whitespace: true, message: '请输入' }
  for (const value of [undefined, null, '', [], '  ']) expect(await problemsOf(rule, value)).toEqual(['请输入'])
  for (const value of [0, false, 'a', [1]]) expect(await problemsOf(rule, value)).toEqual([])
})

test('a failed validator shows the message of the rule, or its own message without one', async () => {
  const validator = (_rule: unknown, value: unknown, done: (problem?: unknown) => void) =>
    done(value === 'good' ? undefined : new Error('不对'))
  expect(await problemsOf({ validator }, 'good')).toEqual([])
  expect(await problemsOf({ validator }, 'bad')).toEqual(['不对'])
  expect(await problemsOf({ validator, message: '改一改' }, 'bad')).toEqual(['改一改'])
})

test('the validator throws for an unsupported kind of rule', async () => {
  expect(await problemsOf({ min: 3 } as never, 'ab')).toBeInstanceOf(TypeError)
})

test('an unsupported kind of rule does not compile', () => {
  const rulesOf = ({ rules }: FormItemProps) => rules
  const pattern = { pattern: /a/, message: '不对' }
  // @ts-expect-error The validator of the build does not know `min`.
  const refused = [rulesOf({ rules: [{ min: 3 }] }), rulesOf({ rules: [{ type: 'email' }] })]
  // @ts-expect-error A rule from a variable is checked like a literal.
  const variable = rulesOf({ rules: [pattern] })
  // @ts-expect-error The result of a function is checked too.
  const made = rulesOf({ rules: [() => ({ max: 3 })] })
  const accepted: SupportedFormRule[] = [{ required: true, whitespace: true, message: '请输入' }]
  expect(rulesOf({ rules: accepted })).toBe(accepted)
  expect([...refused, variable, made].every((rules) => rules?.length === 1)).toBe(true)
})
