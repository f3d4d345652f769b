import { and, asc, eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { operLogs } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const RIGHTS = ['list', 'add', 'edit', 'remove', 'enable', 'merge', 'sort'].map(
  (each) => `tenantManage:industry:${each}`,
)
let keeper: Caller
beforeAll(async () => {
  keeper = await app.as(...RIGHTS)
})

interface Node {
  id: number
  name: string
  sort: number
  rev: number
  tenantCount: number
  children: Node[]
}
const tree = async (): Promise<Node[]> => (await keeper.call('GET', '/api/v1/tenant/industry/list')).data.list
const add = async (name: string, code: string, parentId = 0) => {
  const answer = await keeper.call('POST', '/api/v1/tenant/industry', { name, code, parentId })
  expect(answer.code, answer.msg).toBe(200)
  return answer.data.id as number
}
const customer = async (name: string, industryId: number) => {
  const [made] = await app.db.insert(tenants).values({ name, tenantNo: name, industryId }).returning({ id: tenants.id })
  return made!.id
}

test('MODULE-01 industries have two levels and count their tenants', async () => {
  const top = await add('制造业', 'MAKE')
  const below = await add('智能硬件', 'MAKE_HW', top)
  await customer('行业客户一', below)
  const node = (await tree()).find(({ id }) => id === top)
  expect(node?.children).toMatchObject([{ id: below, name: '智能硬件', tenantCount: 1 }])
  const third = await keeper.call('POST', '/api/v1/tenant/industry', { name: '三级', code: 'X3', parentId: below })
  expect(third).toMatchObject({ code: 400, msg: '行业最多两级', data: { field: 'parentId' } })
  const deep = { id: top, rev: 0, name: '制造业', code: 'MAKE', parentId: below }
  expect((await keeper.call('PUT', '/api/v1/tenant/industry', deep)).msg).toBe('有下级的行业不能移到第二级')
})

test('names of industries are unique within a level, and codes are unique on all levels', async () => {
  const top = await add('服务业', 'SERVE')
  await add('酒店', 'HOTEL', top)
  expect(await keeper.call('POST', '/api/v1/tenant/industry', { name: '服务业', code: 'SERVE2' })).toMatchObject({
    msg: '同一级下已有这个行业名称',
    data: { field: 'name' },
  })
  expect(await keeper.call('POST', '/api/v1/tenant/industry', { name: '别的', code: 'HOTEL' })).toMatchObject({
    msg: '行业编码已存在',
    data: { field: 'code' },
  })
})

test('MODULE-01 an industry with children or tenants cannot be deleted, and merging moves its tenants', async () => {
  const from = await add('旧行业', 'OLD')
  const to = await add('新行业', 'NEW')
  const child = await add('旧行业下级', 'OLD_1', from)
  const id = await customer('会移动的客户', from)
  expect((await keeper.call('DELETE', `/api/v1/tenant/industry/${from}`)).msg).toBe(
    '还有1个下级行业、1个客户，请先删除下级行业，并把客户合并到其他行业',
  )
  expect((await keeper.call('DELETE', `/api/v1/tenant/industry/${child}`)).code).toBe(200)
  expect((await keeper.call('DELETE', `/api/v1/tenant/industry/${from}`)).msg).toBe(
    '还有1个客户，请先删除下级行业，并把客户合并到其他行业',
  )
  expect((await keeper.call('POST', '/api/v1/tenant/industry/merge', { fromId: from, toId: from })).msg).toBe(
    '不能合并到自己',
  )
  const merged = await keeper.call('POST', '/api/v1/tenant/industry/merge', { fromId: from, toId: to })
  expect(merged.data).toEqual({ moved: 1 })
  const [row] = await app.db.select().from(tenants).where(eq(tenants.id, id))
  expect(row?.industryId).toBe(to)
  expect((await tree()).some((node) => node.id === from)).toBe(false)
})

test('the sort order is saved, and the preset industries are added once and only on request', async () => {
  const [first] = await tree()
  expect(
    (await keeper.call('PUT', '/api/v1/tenant/industry/sort', { list: [{ id: first!.id, sort: 9000 }] })).code,
  ).toBe(200)
  expect((await tree()).at(-1)).toMatchObject({ id: first!.id, sort: 9000 })
  const created = (await keeper.call('POST', '/api/v1/tenant/industry/preset')).data.created
  expect(created).toBeGreaterThan(15)
  expect((await keeper.call('POST', '/api/v1/tenant/industry/preset')).data.created).toBe(0)
})

test('a disabled industry is returned by the options with its status', async () => {
  const id = await add('停用的', 'OFF')
  expect((await keeper.call('POST', `/api/v1/tenant/industry/disable/${id}`)).code).toBe(200)
  const list = (await keeper.call('GET', '/api/v1/tenant/industry/options')).data.list
  expect(list.find((row: { id: number }) => row.id === id).status).toBe(0)
})

test('the operation log names the parent, the changed fields and the status of an industry', async () => {
  const [one, two] = [await add('上级一', 'UP_1'), await add('上级二', 'UP_2')]
  const id = await add('会改的', 'LOGGED', one)
  const sent = { id, rev: 0, name: '会改的', code: 'LOGGED', parentId: two }
  expect((await keeper.call('PUT', '/api/v1/tenant/industry', sent)).data).toEqual({ rev: 1 })
  // A save without a difference writes nothing.
  expect((await keeper.call('PUT', '/api/v1/tenant/industry', { ...sent, rev: 1 })).data).toEqual({ rev: 1 })
  await keeper.call('POST', `/api/v1/tenant/industry/disable/${id}`)
  const rows = await app.db
    .select({ action: operLogs.action, diff: operLogs.diff })
    .from(operLogs)
    .where(and(eq(operLogs.bizType, 'industry'), eq(operLogs.bizId, String(id))))
    .orderBy(asc(operLogs.operId))
  const changed = (field: string, title: string, from: unknown, to: unknown) => ({ field, title, from, to })
  expect(rows.filter(({ diff }) => diff.length > 0)).toEqual([
    {
      action: '新增行业「会改的」',
      diff: expect.arrayContaining([
        changed('parentId', '上级行业', null, '上级一'),
        changed('code', '行业编码', null, 'LOGGED'),
      ]),
    },
    { action: '修改行业「会改的」', diff: [changed('parentId', '上级行业', '上级一', '上级二')] },
    { action: '停用行业「会改的」', diff: [changed('status', '状态', '启用', '停用')] },
  ])
})

test('a tenant can read industries but not change them', async () => {
  const inside = await app.by({ tenant: '看行业的', permissions: RIGHTS })
  expect((await inside.call('GET', '/api/v1/tenant/industry/list')).code).toBe(200)
  expect((await inside.call('POST', '/api/v1/tenant/industry', { name: '越权', code: 'NO' })).code).toBe(501)
})
