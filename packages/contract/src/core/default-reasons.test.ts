import { expect, test } from 'vitest'
import * as z from 'zod'
import { id } from './fields.ts'

test('a schema without its own message gives a plain Chinese reason without type names', () => {
  const schema = z.strictObject({
    text: z.string().min(2).max(3),
    number: z.int().max(5),
    list: z.array(z.object({ id })),
    kind: z.enum(['a', 'b']),
  })
  const good = { text: 'abc', number: 1, list: [], kind: 'a' }
  const reason = (over: object) => schema.safeParse({ ...good, ...over }).error?.issues[0]?.message
  expect(reason({})).toBeUndefined()
  expect(reason({ text: undefined })).toBe('缺少必填内容')
  expect(reason({ text: 5 })).toBe('格式不正确')
  expect(reason({ text: 'a' })).toBe('内容过短或数值过小')
  expect(reason({ text: 'abcd' })).toBe('内容过长或数值过大')
  expect(reason({ number: 6 })).toBe('内容过长或数值过大')
  expect(reason({ list: [5] })).toBe('格式不正确')
  expect(reason({ kind: 'c' })).toBe('选项不正确')
  expect(reason({ more: 1 })).toBe('含有不支持的内容')
})
