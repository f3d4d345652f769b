import { and, eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { operLogs } from '#core/schema/system.ts'
import { DICT_PERMISSIONS, DICT_DATA_URL, buildEntry, DICT_TYPE_URL, withDicts } from './dict-fixture.ts'

const { app, admin, newType, byType } = withDicts()

describe('dictionary types', () => {
  test('a type can be added, listed with its number of entries, renamed with its entries, and deleted when empty', async () => {
    const { dictType, dictId } = await newType()
    const { data } = await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a'))
    const page = await admin.call('GET', `${DICT_TYPE_URL}/list?dictType=${dictType}&orderByColumn=dictId&isAsc=desc`)
    expect(page.data).toMatchObject({ total: 1, list: [{ dictId, dataCount: 1, isBuiltin: 0 }] })
    expect((await admin.call('GET', `${DICT_TYPE_URL}/${dictId}`)).data).toMatchObject({ dictType, dataCount: 1 })
    const to = `${dictType}_new`
    const renamed = { dictId, dictName: '改名', dictType: to, status: 1, rev: 0 }
    expect(await admin.call('PUT', DICT_TYPE_URL, renamed)).toMatchObject({ code: 200 })
    expect((await byType(to)).json().data).toMatchObject([{ dictValue: 'a' }])
    expect(await admin.call('DELETE', `${DICT_TYPE_URL}/${dictId}`)).toMatchObject({
      code: 400,
      msg: '该字典类型下有1条数据，请先删除这些数据',
    })
    await admin.call('DELETE', `${DICT_DATA_URL}/${data.dictCode}`)
    expect(await admin.call('DELETE', `${DICT_TYPE_URL}/${dictId}`)).toMatchObject({ code: 200 })
    expect(await admin.call('GET', `${DICT_TYPE_URL}/${dictId}`)).toMatchObject({ code: 400 })
  })

  test('names of dictionary types are unique, and a shipped type keeps its name', async () => {
    const taken = { code: 400, msg: '字典类型已存在', data: { field: 'dictType' } }
    const body = { dictName: '性别', dictType: 'sys_user_sex', status: 1 }
    expect(await admin.call('POST', DICT_TYPE_URL, body)).toMatchObject(taken)
    const { dictId } = await newType()
    expect(await admin.call('PUT', DICT_TYPE_URL, { ...body, dictId, rev: 0 })).toMatchObject(taken)
    const shipped = (await admin.call('GET', `${DICT_TYPE_URL}/list?dictType=company_size`)).data.list[0]
    const rename = { ...shipped, dictType: 'company_sizes' }
    expect(await admin.call('PUT', DICT_TYPE_URL, rename)).toMatchObject({ code: 400, data: { field: 'dictType' } })
    expect(await admin.call('DELETE', `${DICT_TYPE_URL}/${shipped.dictId}`)).toMatchObject({ code: 501 })
  })

  test('the lists of types and entries refuse unknown sort columns', async () => {
    for (const url of [`${DICT_TYPE_URL}/list`, `${DICT_DATA_URL}/list`])
      expect(await admin.call('GET', `${url}?orderByColumn=password&isAsc=asc`)).toMatchObject({ code: 400 })
  })
})

describe('permissions', () => {
  test('PERM-04 each call for dictionaries requires its own permission', async () => {
    const reader = await app.as('system:systemDict:list')
    expect(await reader.call('GET', `${DICT_TYPE_URL}/list`)).toMatchObject({ code: 200 })
    for (const answer of await Promise.all([
      reader.call('GET', `${DICT_DATA_URL}/1`),
      reader.call('POST', DICT_DATA_URL, {}),
      reader.call('PUT', DICT_DATA_URL, {}),
      reader.call('DELETE', `${DICT_DATA_URL}/1`),
      reader.call('DELETE', `${DICT_TYPE_URL}/refreshCache`),
    ]))
      expect(answer).toMatchObject({ code: 501, msg: '您没有权限！' })
  })

  test('a tenant can read dictionaries and cannot change them with any role', async () => {
    const customer = await app.by({ tenant: '甲公司', permissions: DICT_PERMISSIONS })
    expect(await customer.call('GET', `${DICT_DATA_URL}/list`)).toMatchObject({ code: 200 })
    expect(await customer.call('POST', DICT_DATA_URL, buildEntry('sys_user_sex', '9'))).toMatchObject({ code: 501 })
    expect(await customer.call('DELETE', `${DICT_TYPE_URL}/refreshCache`)).toMatchObject({ code: 501 })
  })

  test('changing a type writes the differences to the operation log', async () => {
    const { dictType } = await newType()
    const { data } = await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a'))
    await admin.call('PUT', DICT_DATA_URL, {
      ...buildEntry(dictType, 'a', { dictLabel: '乙' }),
      dictCode: data.dictCode,
      rev: 0,
    })
    const rows = await app.db
      .select()
      .from(operLogs)
      .where(and(eq(operLogs.bizType, 'dictData'), eq(operLogs.bizId, String(data.dictCode))))
      .orderBy(operLogs.operId)
    expect(rows).toHaveLength(2)
    expect(rows[1]).toMatchObject({
      title: '修改字典数据',
      diff: [{ field: 'dictLabel', title: '字典标签', from: '标签a', to: '乙' }],
    })
  })
})

test('ten simultaneous cache refreshes succeed without a deadlock', async () => {
  const deadlocks = async () => {
    await app.db.execute(sql`select pg_stat_force_next_flush()`)
    return (await app.db.execute(sql`select deadlocks from pg_stat_database where datname = current_database()`)).rows
  }
  const before = await deadlocks()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => admin.call('DELETE', `${DICT_TYPE_URL}/refreshCache`)),
  )
  expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 200))
  expect(await deadlocks()).toEqual(before)
})
