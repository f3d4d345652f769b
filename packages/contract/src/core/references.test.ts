import { expect, test } from 'vitest'
import type * as z from 'zod'

interface Call {
  readonly path: string
  readonly input: z.ZodType & { readonly shape?: Readonly<Record<string, z.ZodType>> }
}

const modules = import.meta.glob<Record<string, unknown>>(['../**/*.ts', '!../**/*.test.ts'], { eager: true })

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'path' in value && 'input' in value

const calls = Object.values(modules)
  .flatMap((exports) => Object.values(exports))
  .flatMap((contract) => (typeof contract === 'object' && contract !== null ? Object.values(contract) : []))
  .filter(isCall)

/** Returns the titled fields of a call outside its path whose missing value is refused as an invalid number. */
const listUnnamed = ({ path, input }: Call) =>
  Object.entries(input.shape ?? {}).flatMap(([field, schema]) => {
    const isChosen = !path.includes(`:${field}`) && (schema.meta()?.['title'] ?? '编号') !== '编号'
    const message = schema.safeParse(undefined).error?.issues[0]?.message
    return isChosen && message === '编号不正确' ? [`${path} ${field}`] : []
  })

test('a missing reference to another record is refused with the name of the record to choose', () => {
  expect(calls.length).toBeGreaterThan(300)
  expect(calls.flatMap(listUnnamed)).toEqual([])
})
