import { and, eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { accounts } from '#schema/account.ts'
import { operLogs } from '#schema/system.ts'
import { ALL, DATA, entry, TYPE, withDicts } from './dict-fixture.ts'

const { app, admin, newType, byType } = withDicts()

describe('types', () => {
  test('adds a type, lists it with its number of entries, renames it with its entries, and deletes it when empty', async () => {
    const { dictType, dictId } = await newType()
    const { data } = await admin.call('POST', DATA, entry(dictType, 'a'))
    const page = await admin.call('GET', `${TYPE}/list?dictType=${dictType}&orderByColumn=dictId&isAsc=desc`)
    expect(page.data).toMatchObject({ total: 1, list: [{ dictId, dataCount: 1, isBuiltin: 0 }] })
    expect((await admin.call('GET', `${TYPE}/${dictId}`)).data).toMatchObject({ dictType, dataCount: 1 })
    const to = `${dictType}_new`
    const renamed = { dictId, dictName: '改名', dictType: to, status: 1, rev: 0 }
    expect(await admin.call('PUT', TYPE, renamed)).toMatchObject({ code: 200 })
    expect((await byType(to)).json().data).toMatchObject([{ dictValue: 'a' }])
    expect(await admin.call('DELETE', `${TYPE}/${dictId}`)).toMatchObject({
      code: 400,
      msg: '该字典类型下有1条数据，请先删除这些数据',
    })
    await admin.call('DELETE', `${DATA}/${data.dictCode}`)
    expect(await admin.call('DELETE', `${TYPE}/${dictId}`)).toMatchObject({ code: 200 })
    expect(await admin.call('GET', `${TYPE}/${dictId}`)).toMatchObject({ code: 400 })
  })

  test('a name is unique, and a shipped type keeps its name', async () => {
    const taken = { code: 400, msg: '字典类型已存在', data: { field: 'dictType' } }
    const body = { dictName: '性别', dictType: 'sys_user_sex', status: 1 }
    expect(await admin.call('POST', TYPE, body)).toMatchObject(taken)
    const { dictId } = await newType()
    expect(await admin.call('PUT', TYPE, { ...body, dictId, rev: 0 })).toMatchObject(taken)
    const shipped = (await admin.call('GET', `${TYPE}/list?dictType=company_size`)).data.list[0]
    const rename = { ...shipped, dictType: 'company_sizes' }
    expect(await admin.call('PUT', TYPE, rename)).toMatchObject({ code: 400, data: { field: 'dictType' } })
    expect(await admin.call('DELETE', `${TYPE}/${shipped.dictId}`)).toMatchObject({ code: 501 })
  })

  test('usage lists the columns and counts the rows', async () => {
    const { data } = await admin.call('GET', `${TYPE}/list?dictType=sys_user_sex`)
    await app.db.update(accounts).set({ gender: 2 }).where(eq(accounts.uid, admin.uid))
    const usage = await admin.call('GET', `${TYPE}/usage/${data.list[0].dictId}`)
    expect(usage.data.list).toEqual([{ place: '账号 · 性别', values: [{ value: '2', count: 1 }] }])
  })

  test('lists refuse unknown sort columns', async () => {
    for (const url of [`${TYPE}/list`, `${DATA}/list`])
      expect(await admin.call('GET', `${url}?orderByColumn=password&isAsc=asc`)).toMatchObject({ code: 400 })
  })
})

describe('permissions', () => {
  test('PERM-04 each call requires its own permission', async () => {
    const reader = await app.as('system:systemDict:list')
    expect(await reader.call('GET', `${TYPE}/list`)).toMatchObject({ code: 200 })
    for (const answer of await Promise.all([
      reader.call('GET', `${DATA}/1`),
      reader.call('POST', DATA, {}),
      reader.call('PUT', DATA, {}),
      reader.call('DELETE', `${DATA}/1`),
      reader.call('DELETE', `${TYPE}/refreshCache`),
    ]))
      expect(answer).toMatchObject({ code: 501, msg: '您没有权限！' })
  })

  test('a tenant reads dictionaries and cannot change them with any role', async () => {
    const customer = await app.by({ tenant: '甲公司', permissions: ALL })
    expect(await customer.call('GET', `${DATA}/list`)).toMatchObject({ code: 200 })
    expect(await customer.call('POST', DATA, entry('sys_user_sex', '9'))).toMatchObject({ code: 501 })
    expect(await customer.call('DELETE', `${TYPE}/refreshCache`)).toMatchObject({ code: 501 })
  })

  test('a change writes its differences to the operation log', async () => {
    const { dictType } = await newType()
    const { data } = await admin.call('POST', DATA, entry(dictType, 'a'))
    await admin.call('PUT', DATA, { ...entry(dictType, 'a', { dictLabel: '乙' }), dictCode: data.dictCode, rev: 0 })
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

test('ten simultaneous refreshes succeed without waiting for deadlock detection', async () => {
  const deadlocks = async () => {
    await app.db.execute(sql`select pg_stat_force_next_flush()`)
    return (await app.db.execute(sql`select deadlocks from pg_stat_database where datname = current_database()`)).rows
  }
  const before = await deadlocks()
  const answers = await Promise.all(Array.from({ length: 10 }, () => admin.call('DELETE', `${TYPE}/refreshCache`)))
  expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 200))
  expect(await deadlocks()).toEqual(before)
})
