import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { Pipeline } from '#core/database/statements/prepared-statements.ts'
import { accounts } from '#core/schema/account.ts'
import { loginLogs } from '#core/schema/system.ts'
import { useApp } from '#test/harness.ts'
import { PreparedLists } from './prepared-list.ts'
import { contains, paginate } from './list-query.ts'

const app = useApp()
let lists: PreparedLists

beforeAll(async () => {
  lists = app.services.lists
  await app.db.execute(sql`insert into login_logs (account, ip, status, msg, login_time)
    select 'u' || g % 3, '::1', g % 2, '100%', now() - g * interval '1 second' from generate_series(1, 30000) g`)
})

const select = () =>
  app.db
    .select({
      infoId: loginLogs.infoId,
      account: loginLogs.account,
      loginTime: loginLogs.loginTime,
      loud: sql<string>`upper(${loginLogs.account})`.as('loud'),
    })
    .from(loginLogs)

const preparedQuery = (where?: SQL) => () => ({
  select: () => select().$dynamic(),
  key: loginLogs.infoId,
  where,
  order: [desc(loginLogs.infoId)],
})

test('a page of a prepared list equals the page of the ordinary query', async () => {
  const where = and(eq(loginLogs.account, sql.placeholder('account')), eq(loginLogs.status, sql.placeholder('status')))
  const values = { account: 'u1', status: 1 }
  const page = await lists.page('by account and status', preparedQuery(where), values, { pageNum: 2, pageSize: 30 })
  const plain = await paginate(
    app.db,
    select()
      .where(and(eq(loginLogs.account, 'u1'), eq(loginLogs.status, 1)))
      .$dynamic(),
    { pageNum: 2, pageSize: 30 },
    [desc(loginLogs.infoId)],
  )
  expect(page).toEqual(plain)
  expect(page.total).toBe(5000)
  expect(page.list[0]).toMatchObject({
    account: 'u1',
    loud: 'U1',
    loginTime: expect.stringMatching(/^[\d-]{10} [\d:]{8}$/),
  })
})

test('totals above ten thousand are estimates, and smaller totals are counted on every request', async () => {
  const all = preparedQuery()
  const page = { pageNum: 1, pageSize: 10 }
  expect(await lists.page('all', all, {}, page)).toMatchObject({
    totalIsEstimate: true,
    total: expect.toSatisfy((n: number) => n > 10_000),
  })
  const one = preparedQuery(eq(loginLogs.msg, sql.placeholder('msg')))
  expect((await lists.page('one', one, { msg: 'new' }, page)).total).toBe(0)
  await app.db.insert(loginLogs).values({ account: 'x', ip: '::1', msg: 'new' })
  expect((await lists.page('one', one, { msg: 'new' }, page)).total).toBe(1)
})

test('a page after row 10,000 is refused with the advice to narrow the filter', async () => {
  const all = preparedQuery()
  await expect(lists.page('all', all, {}, { pageNum: 1001, pageSize: 10 })).rejects.toThrow(
    '只能查看前10000条，请缩小查询范围',
  )
})

test('a search treats % as a literal character', async () => {
  const found = await paginate(
    app.db,
    select().where(contains(loginLogs.msg, '100%')).$dynamic(),
    { pageNum: 1, pageSize: 10 },
    [desc(loginLogs.infoId)],
  )
  expect(found.total).toBeGreaterThan(10_000)
  expect(
    (
      await paginate(app.db, select().where(contains(loginLogs.msg, '1%0')).$dynamic(), { pageNum: 1, pageSize: 10 }, [
        desc(loginLogs.infoId),
      ])
    ).total,
  ).toBe(0)
})

test('rows show names for ids, and the next page shows the new name after any rename, also by SQL', async () => {
  const { pool } = app.services.database
  const named = () => ({
    select: () => app.db.select({ uid: accounts.uid, tenantId: accounts.tenantId }).from(accounts).$dynamic(),
    key: accounts.uid,
    where: undefined,
    order: [asc(accounts.uid)],
    names: { realname: { id: 'uid', kind: 'account' }, tenantName: { id: 'tenantId', kind: 'tenant' } } as const,
  })
  const first = async (pageNum: number) => (await lists.page('named', named, {}, { pageNum, pageSize: 1 })).list[0]
  const { rows } = await pool.query<{ uid: number }>(
    `insert into accounts (account, realname, tenant_id, password_hash) values ('hot', '甲', null, '') returning uid`,
  )
  const { uid = 0 } = rows[0] ?? {}
  expect(await first(1)).toEqual({ uid: 1, realname: '系统管理员', tenantId: 1, tenantName: '平台运营中心' })
  expect(await first(2)).toEqual({ uid, realname: '甲', tenantId: null, tenantName: '' })
  await pool.query(`update accounts set realname = '乙' where uid = $1`, [uid])
  await pool.query(`update tenants set name = '总部' where id = 1`)
  await app.services.events.caughtUp()
  expect(await first(1)).toMatchObject({ tenantName: '总部' })
  expect(await first(2)).toMatchObject({ realname: '乙' })
})

test('a prepared list works again after its database connections were terminated', async () => {
  const page = () => lists.page('all', preparedQuery(), {}, { pageNum: 1, pageSize: 10 })
  const many = await Promise.all(Array.from({ length: 50 }, page))
  expect(new Set(many.map(({ list }) => JSON.stringify(list))).size).toBe(1)
  await app.services.database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%login_logs%'
     and pid <> pg_backend_pid()`,
  )
  await expect
    .poll(() =>
      page().then(
        ({ list }) => list.length,
        () => 0,
      ),
    )
    .toBe(10)
})

test('lists with 200 different page sizes use at most 6 prepared statements', async () => {
  const names = new Set<string>()
  const pipeline = new Pipeline(app.services.database.connection)
  const rows = pipeline.rows.bind(pipeline)
  pipeline.rows = (statement) => {
    names.add(statement.name)
    return rows(statement)
  }
  const own = new PreparedLists({ database: app.services.database, pipeline, names: app.services.names })
  for (let pageSize = 1; pageSize <= 200; pageSize += 1) {
    const { list } = await own.page('sizes', preparedQuery(), {}, { pageNum: 1, pageSize })
    expect(list).toHaveLength(pageSize)
  }
  expect(names.size).toBeLessThanOrEqual(6)
  await pipeline.close()
})
