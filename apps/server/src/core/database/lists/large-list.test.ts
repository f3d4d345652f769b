import { QueryBuilder } from 'drizzle-orm/pg-core'
import { expect, test, vi } from 'vitest'
import { deviceTypes } from '#modules/device/schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { paginateLarge } from './prepared-list.ts'

const ALL = { scope: { tenants: 'all', ownOnly: false }, isPlatform: true, tenantId: 1 }

/** Returns the shape of the prepared statement, or undefined when the request runs without one. */
async function shapeOf(user: object, filters: object) {
  const page = vi.fn<(shape: string) => Promise<{ list: never[]; total: number }>>(async () => ({ list: [], total: 0 }))
  const ctx = { user, services: { lists: { page } } } as unknown as Ctx
  const isPlain = new Error('runs without a prepared statement')
  const reading = paginateLarge(
    ctx,
    { pageNum: 1, pageSize: 20, ...filters },
    {
      name: 'types',
      key: deviceTypes.id,
      exact: { status: deviceTypes.status, sort: deviceTypes.sort },
      order: [],
      select: () => new QueryBuilder().select().from(deviceTypes).$dynamic() as never,
      where: () => {
        throw isPlain
      },
    },
  )
  await reading.catch((error: unknown) => expect(error).toBe(isPlain))
  return page.mock.calls[0]?.[0]
}

test.each([
  ['no filter', {}, 'types  '],
  ['exact filters', { status: 1, sort: 2 }, 'types status sort  '],
  ['an empty filter', { status: 1, typeName: '' }, 'types status  '],
  ['an order', { orderByColumn: 'sort', isAsc: 'asc' }, 'types sort asc'],
  ['another filter', { status: 1, typeName: 'a' }, undefined],
])('staff who see all rows get a prepared statement with %s: %o', async (_, filters, shape) =>
  expect(await shapeOf(ALL, filters)).toBe(shape),
)

test.each([
  ['limited to tenants', { ...ALL, scope: { tenants: [7], ownOnly: false } }],
  ['limited to their own rows', { ...ALL, scope: { tenants: 'all', ownOnly: true } }],
  ['of a tenant', { ...ALL, isPlatform: false, tenantId: 7 }],
])('accounts %s get no prepared statement', async (_, user) =>
  expect(await shapeOf(user, { status: 1 })).toBeUndefined(),
)
