import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { modules } from '#main/modules.ts'

const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))

/** Returns the titled fields of a call outside its path whose missing value is refused as an invalid number. */
const listUnnamed = ({ path, input }: Endpoint) =>
  Object.entries(input instanceof z.ZodObject ? (input.shape as Record<string, z.ZodType>) : {}).flatMap(
    ([field, schema]) => {
      const isChosen = !path.includes(`:${field}`) && (schema.meta()?.['title'] ?? '编号') !== '编号'
      const message = schema.safeParse(undefined).error?.issues[0]?.message
      return isChosen && message === '编号不正确' ? [`${path} ${field}`] : []
    },
  )

test('the error for a missing reference names the kind of record that must be chosen', () => {
  expect(endpoints.flatMap(listUnnamed)).toEqual([])
})
