import { type Endpoint, JSON_CHARACTER_BYTES, MAX_BODY } from '@oms/contract/core/endpoint.ts'
import * as z from 'zod'
import { beforeAll, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const WORDS = '/api/v1/agent/words'
let admin: Caller
beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

interface Schema {
  readonly type?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly propertyNames?: Schema
}

/** Longest dates, numbers, hashes and codes, whose length is limited by a pattern. */
const SHORT_TEXT = 100
/** Brackets, quotes, a colon and a comma. */
const MARKS = 6

/** Returns the bytes of the longest JSON of a schema. Lists and maps without a limit count with one entry. */
function longest(schema: Schema): number {
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices) return Math.max(...choices.map(longest))
  const fixed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (fixed) return Math.max(...fixed.map((value) => JSON.stringify(value).length * JSON_CHARACTER_BYTES))
  if (schema.type === 'string') return (schema.maxLength ?? SHORT_TEXT) * JSON_CHARACTER_BYTES + MARKS
  if (schema.type === 'array') return (schema.maxItems ?? 1) * (longest(schema.items ?? {}) + MARKS) + MARKS
  const { properties = {}, additionalProperties: values, propertyNames = {}, maxProperties = 1 } = schema
  const own = Object.entries(properties).map(([key, each]) => key.length + MARKS + longest(each))
  const entry = typeof values === 'object' ? longest(values) + longest(propertyNames) + MARKS : 0
  return own.reduce((sum, bytes) => sum + bytes, SHORT_TEXT) + entry * maxProperties
}

const withBody = modules
  .flatMap(({ contract }) => Object.values(contract) as Endpoint[])
  .filter(({ method, body }) => (method === 'POST' || method === 'PUT') && body !== 'multipart' && body !== 'binary')

test('the longest valid body of every call is within the body limit of the call', () => {
  const tooLong = withBody.flatMap(({ method, path, input, maxBody = MAX_BODY }) => {
    const bytes = longest(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any', cycles: 'ref' }) as Schema)
    return bytes > maxBody ? [`${method} ${path}: ${bytes} > ${maxBody}`] : []
  })
  expect(withBody.length).toBeGreaterThan(200)
  expect(tooLong).toEqual([])
})

const LONGEST = 1_048_576
/** Returns a valid text of this length: 4000 lines of the longest words, then blank lines. */
const wordsOf = (letter: string, length: number) => {
  const word = letter.repeat(128)
  return `${word}|${word}\n`.repeat(4000).padEnd(length, '\n')
}

test.each(['a', '词'])('AGENT-13 a correction-word file of %s with the maximum length is stored', async (letter) => {
  const made = await admin.call('POST', WORDS, { name: `最长 ${letter}`, words: wordsOf(letter, LONGEST) })
  expect(made).toMatchObject({ code: 200 })
  expect((await admin.call('GET', `${WORDS}/${made.data.id}`)).data.count).toBe(4000)
})

test('AGENT-13 a correction-word file of maximum length with escaped characters is stored', async () => {
  const words = wordsOf('词', LONGEST)
  const text = JSON.stringify({ name: '转义', words }).replaceAll('词', String.raw`\u8bcd`)
  expect(text.length).toBeGreaterThan(6_000_000)
  const answer = await admin.inject({
    method: 'POST',
    url: WORDS,
    headers: { 'content-type': 'application/json' },
    payload: text,
  })
  expect(answer.json()).toMatchObject({ code: 200 })
})

test('AGENT-13 a correction-word file above the maximum length is refused at its field', async () => {
  for (const letter of ['a', '词'])
    expect(await admin.call('POST', WORDS, { name: '过长', words: wordsOf(letter, LONGEST + 1) })).toEqual({
      code: 400,
      msg: '替换词不能超过1048576个字符',
      data: { field: 'words' },
    })
})
