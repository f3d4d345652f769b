import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { type Caller, useApp, type Who } from '#test/harness.ts'

const app = useApp()
const URL = '/api/v1/view'
const PAGE = '/AfterService/Questions'
const OPEN = 'AfterService:Questions:list'
const SHARE = 'system:view:share'
const VIEW = { page: PAGE, name: '我的高优先级', query: 'priority=4&orderByColumn=createTime&isAsc=desc' }
const GONE = '视图不存在或已被删除'

const person = (who: Who = {}) => app.by({ permissions: [OPEN], ...who })
const save = async (who: Caller, more: object = {}) =>
  (await who.call('POST', URL, { ...VIEW, ...more })).data.id as number
const share = (who: Caller, id: number, shared = true) => who.call('PUT', `${URL}/${id}/share`, { shared })
const rename = (who: Caller, id: number, name: string, rev = 0) =>
  who.call('PUT', `${URL}/${id}`, { name, query: 'status=1', rev })
const listed = async (who: Caller) =>
  (await who.call('GET', `${URL}/list`)).data.list as { id: number; name: string; isOwn: boolean; ownerName: string }[]
const names = async (who: Caller) => (await listed(who)).map(({ name }) => name)

test('an account saves, changes and deletes its views, and the operation log names them', async () => {
  const one = await person()
  const columns = '{"order":["status","priority"],"hidden":{"tags":false},"pin":{"status":"left"},"density":"small"}'
  const id = await save(one, { columns })
  expect(await listed(one)).toEqual([
    { ...VIEW, columns, id, shared: false, isOwn: true, ownerName: expect.stringContaining('测试'), rev: 0 },
  ])
  expect(await rename(one, id, '新名称')).toMatchObject({ code: 200, data: { rev: 1 } })
  expect((await rename(one, id, '旧修订', 0)).code).toBe(400)
  expect((await one.call('DELETE', `${URL}/${id}`)).code).toBe(200)
  expect(await listed(one)).toEqual([])
  expect((await rename(one, id, '已删除', 2)).msg).toBe(GONE)
  const { rows } = await app.db.execute(sql`select title, action from oper_logs where uid = ${one.uid} and status = 1
    order by oper_id`)
  expect(rows).toEqual([
    { title: '新增列表视图', action: '新增视图「我的高优先级」' },
    { title: '修改列表视图', action: '修改视图「我的高优先级」' },
    { title: '删除列表视图', action: '删除视图「新名称」' },
  ])
})

test.each([
  [{ query: 'pageNum=2' }, 'query', '筛选条件不正确'],
  [{ query: 'status=%00' }, 'query', '筛选条件不正确'],
  [{ query: 'status=1&&' }, 'query', '筛选条件不正确'],
  [{ query: `keyword=${'a'.repeat(2000)}` }, 'query', '筛选条件过长，请减少条件后保存'],
  [{ columns: '{"unknown":1}' }, 'columns', '列设置不正确'],
  [{ columns: '[' }, 'columns', '列设置不正确'],
  [{ name: '' }, 'name', '请输入视图名称'],
  [{ name: '名'.repeat(21) }, 'name', '视图名称不能超过20个字符'],
  [{ page: '//evil' }, 'page', '页面地址不正确'],
  [{ page: '/no/page' }, 'page', '页面不存在或您没有权限打开'],
  [{ page: '/device/manage' }, 'page', '页面不存在或您没有权限打开'],
])('refuses a view with %o at its field', async (input, field, msg) => {
  const one = await person()
  expect(await one.call('POST', URL, { ...VIEW, ...input })).toMatchObject({ code: 400, msg, data: { field } })
})

test('the name of a view is unique for its owner and page', async () => {
  const one = await person()
  await save(one)
  expect(await one.call('POST', URL, VIEW)).toMatchObject({ msg: '视图名称已存在', data: { field: 'name' } })
  expect(await save(await person())).toEqual(expect.any(Number))
})

test('a shared view is visible to the colleagues who may open its page, and only its owner changes it', async () => {
  const lead = await person({ permissions: [OPEN, SHARE] })
  const [agent, warehouse] = [await person(), await app.as('device:apkManage:list')]
  const id = await save(lead, { name: '班组' })
  expect(await names(agent)).toEqual([])
  expect((await rename(agent, id, '别人')).msg).toBe(GONE)
  expect((await share(agent, await save(agent))).msg).toBe('您没有权限！')
  await share(lead, id)
  expect((await listed(agent)).find((each) => each.id === id)).toMatchObject({ name: '班组', isOwn: false })
  expect(await names(warehouse)).toEqual([])
  expect((await rename(agent, id, '别人', 1)).msg).toBe(GONE)
  expect((await agent.call('DELETE', `${URL}/${id}`)).msg).toBe(GONE)
  await share(lead, id, false)
  expect(await names(agent)).not.toContain('班组')
  await share(lead, id)
  const other = await person({ permissions: [OPEN, SHARE] })
  expect((await rename(other, id, '别人', 3)).msg).toBe(GONE)
  expect((await other.call('DELETE', `${URL}/${id}`)).code).toBe(200)
})

test('views stay inside their tenant, also for limited staff and in a switched session', async () => {
  const staff = await person({ permissions: [OPEN, SHARE, 'tenantManage:tenant:switch'] })
  const customer = await person({ tenant: '云栖', permissions: [OPEN, SHARE] })
  const foreign = await person({ tenant: '海川', permissions: [OPEN, SHARE] })
  const [platformView, tenantView] = [await save(staff, { name: '平台' }), await save(customer, { name: '云栖' })]
  await share(staff, platformView)
  await share(customer, tenantView)
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '云栖'`)
  const limited = await person({ permissions: [OPEN, SHARE], dataScope: 3, scopeIds: [rows[0]!.id] })
  const mine = await save(limited, { name: '本人' })
  expect(await names(limited)).toEqual(expect.arrayContaining(['平台', '本人']))
  expect(await names(limited)).not.toContain('云栖')
  expect((await rename(limited, mine, '改名')).code).toBe(200)
  expect((await limited.call('DELETE', `${URL}/${tenantView}`)).msg).toBe(GONE)
  for (const who of [foreign, staff]) {
    expect(await names(who)).not.toContain('云栖')
    expect((await who.call('DELETE', `${URL}/${tenantView}`)).msg).toBe(GONE)
  }
  expect(await names(customer)).toEqual(['云栖'])
  expect((await staff.call('POST', `/api/v1/tenant/switch/${rows[0]!.id}`)).code).toBe(200)
  expect(await names(staff)).toEqual(['云栖'])
})

test('an account saves at most fifty views', async () => {
  const one = await person({ tenant: '云栖' })
  await save(one)
  await app.db.execute(sql`insert into saved_views (tenant_id, page, name, query, columns, create_by)
    select tenant_id, page, name || g, query, columns, create_by from saved_views, generate_series(1, 49) g
    where create_by = ${one.uid}`)
  expect((await one.call('POST', URL, VIEW)).msg).toContain('最多保存50个视图')
})
