import { describe, expect, test } from 'vitest'
import { invalid, refused } from './api-error.ts'
import { assertAll, FieldProblems } from './field-problems.ts'

const dataOf = (check: Promise<unknown>) => check.catch((error: unknown) => error)

describe('the problems of several fields are one error', () => {
  test('the first problem is the message, and each field keeps its first problem', async () => {
    const refuse = (msg: string, field: string) => () => {
      throw invalid(msg, field)
    }
    const error = await dataOf(assertAll(refuse('甲', 'a'), () => 1, refuse('乙', 'b'), refuse('丙', 'a')))
    const fields = [
      { field: 'a', msg: '甲' },
      { field: 'b', msg: '乙' },
    ]
    expect(error).toMatchObject({ code: 400, message: '甲', data: { field: 'a', fields } })
    const nested = await dataOf(
      assertAll(
        () => {
          throw error
        },
        refuse('丁', 'd'),
      ),
    )
    expect(nested).toMatchObject({ data: { fields: [...fields, { field: 'd', msg: '丁' }] } })
  })

  test('a single problem has no list', async () => {
    const error = await dataOf(assertAll(async () => Promise.reject(invalid('甲', 'a'))))
    expect(error).toMatchObject({ data: { field: 'a' } })
    expect((error as { data: object }).data).toEqual({ field: 'a' })
  })

  test('no problem throws nothing, and a check returns its result', async () => {
    const problems = new FieldProblems()
    expect(await problems.collect(async () => 7)).toBe(7)
    expect(() => problems.throwIfAny()).not.toThrow()
  })

  test.each([refused('没有权限'), invalid('没有字段'), new Error('fault')])('%s is thrown at once', async (error) => {
    const problems = new FieldProblems()
    await expect(problems.collect(() => Promise.reject(error))).rejects.toBe(error)
  })
})
