import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { modules } from '#main/modules.ts'
import { useApp } from '#test/harness.ts'

const app = useApp()
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const DEEPEST = 8

/** Returns the schemas of all fields of an input with their paths, also those of nested objects and lists. */
function listFields(schema: z.ZodType, path: string, depth = 0): [string, z.ZodType][] {
  if (depth > DEEPEST) return []
  const inside = (inner: unknown, name = path) => listFields(inner as z.ZodType, name, depth + 1)
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => inside(field, `${path} ${name}`))
  const own: [string, z.ZodType] = [path, schema]
  if (schema instanceof z.ZodArray) return [own, ...inside(schema.element, `${path}[]`)]
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return [own, ...inside(schema.unwrap())]
  if (schema instanceof z.ZodPipe && schema.out instanceof z.ZodObject) return inside(schema.out)
  return [own]
}
const fields = endpoints.flatMap(({ method, path, input }) => listFields(input, `${method} ${path}`))

/** Returns the wrong values that a field reads as a number. An empty value may count as not sent. */
function listMisread([path, schema]: [string, z.ZodType]) {
  const absent = schema.safeParse(undefined).data
  return [null, '', ' ', true, false, [], [7], ['7'], {}].flatMap((value) => {
    const { data } = schema.safeParse(value)
    const isAbsent = (value === null || value === '') && data === absent
    return typeof data === 'number' && !isAbsent ? [`${path}: ${JSON.stringify(value)} → ${data}`] : []
  })
}

test('no number field of any call reads null, an empty text, a boolean or a list as a number', () => {
  expect(fields.length).toBeGreaterThan(1000)
  expect(fields.flatMap(listMisread)).toEqual([])
})

test('number fields also accept the digits of queries, paths and forms', () => {
  const numbers = fields.filter(([, schema]) => [1, 7, 30].some((value) => schema.safeParse(value).data === value))
  const onlyNumbers = numbers.filter(([, schema]) =>
    [1, 7, 30].every((value) => !schema.safeParse(value).success || schema.safeParse(String(value)).data !== value),
  )
  const inQuery = onlyNumbers.filter(([path]) => /^(GET|DELETE) /.test(path) && !path.includes('[]'))
  expect(numbers.length).toBeGreaterThan(200)
  expect(inQuery.map(([path]) => path)).toEqual([])
})

test('a save without a valid revision is refused at the field, and digits are accepted', async () => {
  const admin = await app.by({ superAdmin: true })
  const industry = { name: '行业', code: 'REVISION' }
  const { data } = await admin.call('POST', '/api/v1/tenant/industry', industry)
  const save = (rev: unknown) =>
    admin.call('PUT', '/api/v1/tenant/industry', { id: data.id, rev, ...industry, name: '改' })
  for (const rev of [null, '', ' ', true, [], [0], 'x', '0x0', -1, 0.5, undefined])
    expect(await save(rev), JSON.stringify(rev)).toMatchObject({
      code: 400,
      msg: '缺少版本信息，请刷新后重试',
      data: { field: 'rev' },
    })
  expect(await save('0')).toMatchObject({ code: 200, data: { rev: 1 } })
  expect(await save(1)).toMatchObject({ code: 200 })
})

test('an optional revision may be absent, but an empty revision is refused', async () => {
  const self = await app.as()
  const save = (more: object) => self.call('POST', `/api/v1/account/modify/${self.uid}`, { realname: '改名', ...more })
  for (const rev of [null, '', true, []])
    expect(await save({ rev }), JSON.stringify(rev)).toMatchObject({ code: 400, data: { field: 'rev' } })
  expect(await save({})).toMatchObject({ code: 200 })
})
