import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { HISTORY_PERMISSIONS } from '@oms/contract/history-permissions.ts'
import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { listLoggedRecordTables } from '#modules/account/logged-records.ts'
import { operLogs } from '#core/schema/system.ts'
import { dropConstraints } from '#test/fixtures/foreign-tenants.ts'
import { useApp } from '#test/harness.ts'

/** Kinds of records without an owner, and their tables. */
const SHARED: Readonly<Record<string, string>> = {
  scene: 'scenes',
  menu: 'menus',
  dictType: 'dict_types',
  dictData: 'dict_data',
  industry: 'industries',
  deviceType: 'device_types',
  deviceModel: 'device_models',
  storagePackage: 'oss_packages',
  agentProduct: 'agent_products',
  agentProvider: 'agent_providers',
}
/** An operation of platform staff. */
const ROW = { tenantId: 1, title: '修改', action: '改动', requestMethod: 'PUT', operUrl: '/', operIp: '127.0.0.1' }
/** Any value of a type, unique for each row. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/^(integer|bigint|smallint|numeric|double precision)$/, '1'],
  [/^character varying|^text$/, `'x' || left(md5(random()::text), 8)`],
  [/^boolean$/, 'false'],
  [/^timestamp/, 'now()'],
  [/^date$/, 'current_date'],
  [/^jsonb?$/, `'{}'`],
  [/^ARRAY$/, `'{}'`],
  [/^bytea$/, `md5(random()::text)::bytea`],
  [/^uuid$/, 'gen_random_uuid()'],
]
const ID = 4711

const app = useApp()

const nameOf = (part: SQL) => new PgDialect().sqlToQuery(part).sql.replaceAll('"', '')

/** Inserts a row of a tenant whose other required columns have any value. */
async function insertRow(table: string, key: string, owner: string, tenantId: number) {
  const { rows } = await app.db.execute<{ name: string; type: string }>(sql`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_nullable = 'NO' and column_default is null
      and is_generated = 'NEVER' and column_name not in (${key}, ${owner})`)
  const valueOf = (type: string) => VALUES.find(([pattern]) => pattern.test(type))![1]
  await app.db.execute(sql.raw(`alter table ${table} disable trigger user`))
  await app.db.execute(
    sql.raw(`insert into ${table} (${[key, owner, ...rows.map(({ name }) => `"${name}"`)].join()})
      values (${[ID, tenantId, ...rows.map(({ type }) => valueOf(type))].join()}) on conflict do nothing`),
  )
}

test('every record type with a history belongs to a tenant, or its table has no tenant column', async () => {
  const known = new Set([...listLoggedRecordTables().map(([kind]) => kind), ...Object.keys(SHARED)])
  expect(Object.keys(HISTORY_PERMISSIONS).filter((kind) => !known.has(kind))).toEqual([])
  const { rows } = await app.db.execute<{ table: string }>(
    sql`select table_name as table from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`,
  )
  const owned = rows.map(({ table }) => table)
  expect(Object.values(SHARED).filter((table) => owned.includes(table))).toEqual([])
})

test('limited staff cannot read operations on records of other tenants in the history or the log', async () => {
  await app.by({ tenant: '甲公司' })
  await app.by({ tenant: '乙公司' })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where id > 1 order by id`)
  const [own, foreign] = rows.map(({ id }) => id) as [number, number]
  const mine = { permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [own] }
  const [limited, boss] = [await app.by(mine), await app.by({ superAdmin: true })]
  await dropConstraints(app.db)
  for (const [bizType, ...parts] of listLoggedRecordTables()) {
    const [table, key, owner] = parts.map(nameOf) as [string, string, string]
    if (key !== owner) await insertRow(table, key, owner, foreign)
    const id = key === owner ? foreign : ID
    const bizId = bizType === 'agentParam' ? `${id}:history.days` : String(id)
    await app.db.insert(operLogs).values({ ...ROW, bizType, bizId })
    for (const path of [`biz/${bizType}/${bizId}?`, `page?bizType=${bizType}&bizId=${bizId}&`]) {
      const url = `/api/v1/sys/operlog/${path}pageSize=10`
      expect((await boss.call('GET', url)).data.total, url).toBe(1)
      expect((await limited.call('GET', url)).data.total, url).toBe(0)
    }
  }
})

test('staff limited to chosen tenants reads no operation of a colleague whose input names other tenants or their devices', async () => {
  await app.by({ tenant: '丁公司' })
  const { rows } = await app.db.execute<{ id: number; own: number }>(
    sql`select max(id) as id, min(id) filter (where id > 1) as own from tenants`,
  )
  const { id: foreign, own } = rows[0]!
  await app.db.execute(sql`insert into devices (tenant_id, model_id, sn) values (${foreign}, 1, 'FOREIGN-SN')`)
  const limited = await app.by({ permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [own] })
  const boss = await app.by({ superAdmin: true })
  const sent = { ...ROW, title: '输入含对象', uid: boss.uid }
  await app.db
    .insert(operLogs)
    .values(
      [
        { tenantIds: [own, foreign] },
        { tenantIds: [String(foreign)] },
        { tenantIds: [own] },
        { tenantIds: [] },
        { tenantIds: ['99999999999999999999'] },
        { sn: 'FOREIGN-SN' },
        { sn: 'UNKNOWN-SN' },
      ].map((input) => ({ ...sent, operParam: JSON.stringify(input) })),
    )
  const totalOf = async (caller: typeof limited) =>
    (await caller.call('GET', `/api/v1/sys/operlog/page?title=${encodeURIComponent(sent.title)}`)).data.total
  expect([await totalOf(boss), await totalOf(limited)]).toEqual([7, 4])
})

test('limited staff cannot read refused calls of colleagues that may name a tenant outside their data scope', async () => {
  await app.by({ tenant: '丙公司' })
  const { rows } = await app.db.execute<{ id: number; own: number }>(
    sql`select max(id) as id, min(id) filter (where id > 1) as own from tenants`,
  )
  const { id: foreign, own } = rows[0]!
  const limited = await app.by({ permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [own] })
  const boss = await app.by({ superAdmin: true })
  const sent = (tenantId: number) => JSON.stringify({ tenantId, sn: 'SN1' })
  const refusal = { ...ROW, title: '范围外拒绝', status: 0, errorMsg: '客户「丙公司」已停用' }
  await app.db.insert(operLogs).values([
    { ...refusal, uid: boss.uid, operParam: sent(foreign) },
    { ...refusal, uid: boss.uid, operParam: '{"agentId":7}' },
    { ...refusal, uid: boss.uid, status: 1, errorMsg: '', operParam: sent(foreign) },
    { ...refusal, uid: limited.uid, operParam: sent(foreign), errorMsg: '客户不存在或已被删除' },
    { ...refusal, uid: boss.uid, tenantId: own, errorMsg: '账号已存在', operParam: sent(own) },
  ])
  const log = '/api/v1/sys/operlog'
  const title = encodeURIComponent('范围外拒绝')
  const errorsOf = async (caller: typeof limited) =>
    (await caller.call('GET', `${log}/page?title=${title}`)).data.list.map((row: { errorMsg: string }) => row.errorMsg)
  expect(await errorsOf(boss)).toHaveLength(5)
  expect((await errorsOf(limited)).toSorted()).toEqual(['客户不存在或已被删除', '账号已存在'].toSorted())
  const file = await limited.inject({ method: 'GET', url: `${log}/export?format=csv&title=${title}` })
  expect(file.body).not.toContain('丙公司')
  const [hidden] = (await boss.call('GET', `${log}/page?title=${title}&status=0`)).data.list.filter(
    (row: { errorMsg: string }) => row.errorMsg === refusal.errorMsg,
  )
  expect((await limited.call('GET', `${log}/${hidden.operId}`)).msg).toBe('日志不存在或已被删除')
})
