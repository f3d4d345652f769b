import { and, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { accounts } from '#schema/account.ts'
import { dictData } from '#schema/system.ts'
import { DATA, entry, TYPE, withDicts } from './dict-fixture.ts'

const { app, admin, newType, byType } = withDicts()

describe('entries', () => {
  test("DICT-01 the specification's fields alone add an entry, and a change keeps the fields that it leaves out", async () => {
    const { dictType } = await newType()
    const plain = { dictType, dictLabel: '标签', dictValue: '1' }
    const { code, msg, data } = await admin.call('POST', DATA, plain)
    expect(code, msg).toBe(200)
    const read = async () => (await admin.call('GET', `${DATA}/${data.dictCode}`)).data
    expect(await read()).toMatchObject({ status: 1, listClass: 'default', dictSort: 0, isDefault: 'N' })
    const full = { status: 0, listClass: 'danger', cssClass: 'big', dictSort: 7, isDefault: 'Y', remark: '备注' }
    expect((await admin.call('PUT', DATA, { ...plain, ...full, dictCode: data.dictCode })).code).toBe(200)
    const renamed = { ...plain, dictLabel: '新标签', dictCode: data.dictCode }
    expect((await admin.call('PUT', DATA, renamed)).code).toBe(200)
    expect(await read()).toMatchObject({ ...full, dictLabel: '新标签' })
    expect((await admin.call('PUT', DATA, { ...renamed, remark: '' })).code).toBe(200)
    expect((await read()).remark).toBe('')
  })

  test('DICT-01 adds, reads by id, by type and in the list, changes and deletes an entry', async () => {
    const { dictType } = await newType()
    const created = await admin.call(
      'POST',
      DATA,
      entry(dictType, 'a', { listClass: 'success', cssClass: 'big-one x' }),
    )
    expect(created).toMatchObject({ code: 200, msg: '新增成功' })
    const id = created.data.dictCode
    const one = await admin.call('GET', `${DATA}/${id}`)
    expect(one.data).toMatchObject({
      dictLabel: '标签a',
      dictValue: 'a',
      listClass: 'success',
      cssClass: 'big-one x',
      isDefault: 'N',
      rev: 0,
    })
    const page = await admin.call('GET', `${DATA}/list?dictType=${dictType}&dictLabel=标签&pageSize=10`)
    expect(page.data).toMatchObject({ total: 1, list: [{ dictCode: id }] })
    const saved = await admin.call('PUT', DATA, {
      ...entry(dictType, 'a', { dictLabel: '新名' }),
      dictCode: id,
      rev: 0,
    })
    expect(saved).toMatchObject({ code: 200, data: { rev: 1 } })
    expect((await byType(dictType)).json().data).toMatchObject([{ dictLabel: '新名', dictValue: 'a' }])
    expect(await admin.call('DELETE', `${DATA}/${id}`)).toMatchObject({ code: 200, msg: '删除成功' })
    expect((await byType(dictType)).json().data).toEqual([])
    expect(await admin.call('GET', `${DATA}/${id}`)).toMatchObject({ code: 400, msg: '字典数据不存在或已被删除' })
  })

  test('refuses a stale save with the name of the other editor', async () => {
    const { dictType } = await newType()
    const { data } = await admin.call('POST', DATA, entry(dictType, 'a'))
    const save = { ...entry(dictType, 'a'), dictCode: data.dictCode, rev: 0 }
    await admin.call('PUT', DATA, { ...save, dictLabel: '甲' })
    const late = await admin.call('PUT', DATA, { ...save, dictLabel: '乙' })
    expect(late).toMatchObject({ code: 400, data: { conflict: { rev: 1 } } })
    const [row] = await app.db.select().from(dictData).where(eq(dictData.dictCode, data.dictCode))
    expect(row?.dictLabel).toBe('甲')
  })

  test.each([
    [{ dictLabel: ' ' }, '请输入字典标签', 'dictLabel'],
    [{ dictLabel: 'x'.repeat(101) }, '字典标签不能超过100个字符', 'dictLabel'],
    [{ dictValue: '' }, '请输入字典键值', 'dictValue'],
    [{ listClass: 'red' }, '请选择回显样式', 'listClass'],
    [{ cssClass: 'a"onload=x' }, '样式属性只能包含字母、数字、空格和 _ -', 'cssClass'],
    [{ isDefault: 'X' }, '请选择是否默认', 'isDefault'],
    [{ dictType: 'Bad-Type' }, '字典类型须以小写字母开头，只能包含小写字母、数字和下划线', 'dictType'],
    [{ dictType: 'no_such_type' }, '字典类型不存在或已被删除', undefined],
  ])('DICT-01 refuses %j', async (wrong, msg, field) => {
    const { dictType } = await newType()
    const answer = await admin.call('POST', DATA, entry(dictType, 'a', wrong))
    expect(answer).toMatchObject({ code: 400, msg })
    expect(answer.data?.field).toBe(field)
  })

  test('a value is unique in its type and reusable after deletion', async () => {
    const { dictType } = await newType()
    const other = await newType()
    const { data } = await admin.call('POST', DATA, entry(dictType, 'a'))
    const taken = { code: 400, msg: '字典键值已被「标签a」使用', data: { field: 'dictValue' } }
    expect(await admin.call('POST', DATA, entry(dictType, 'a'))).toMatchObject(taken)
    expect(await admin.call('POST', DATA, entry(other.dictType, 'a'))).toMatchObject({ code: 200 })
    const second = await admin.call('POST', DATA, entry(dictType, 'b'))
    const onto = { ...entry(dictType, 'a'), dictCode: second.data.dictCode, rev: 0 }
    expect(await admin.call('PUT', DATA, onto)).toMatchObject(taken)
    await admin.call('DELETE', `${DATA}/${data.dictCode}`)
    expect(await admin.call('PUT', DATA, onto)).toMatchObject({ code: 200 })
  })

  test('of twenty simultaneous additions of one value, one succeeds', async () => {
    const { dictType } = await newType()
    const answers = await Promise.all(Array.from({ length: 20 }, () => admin.call('POST', DATA, entry(dictType, 'a'))))
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 400)).toHaveLength(19)
  })

  test('at most one entry of a type is the default', async () => {
    const { dictType } = await newType()
    const isDefault = 'Y'
    await admin.call('POST', DATA, entry(dictType, 'a', { isDefault }))
    await admin.call('POST', DATA, entry(dictType, 'b', { isDefault }))
    const entries = (await byType(dictType)).json().data as { dictValue: string; isDefault: string }[]
    expect(entries.map((each) => each.dictValue + each.isDefault)).toEqual(['aN', 'bY'])
  })

  test('a shipped entry keeps its value and cannot be deleted, but can be renamed and disabled', async () => {
    const [male] = await app.db
      .select()
      .from(dictData)
      .where(and(eq(dictData.dictType, 'sys_user_sex'), eq(dictData.dictValue, '1')))
    const { dictCode, rev } = male!
    expect(await admin.call('DELETE', `${DATA}/${dictCode}`)).toMatchObject({ code: 501 })
    const change = { ...entry('sys_user_sex', '7', { dictLabel: '先生' }), dictCode, rev }
    expect(await admin.call('PUT', DATA, change)).toMatchObject({ code: 400, data: { field: 'dictValue' } })
    expect(await admin.call('PUT', DATA, { ...change, dictValue: '1' })).toMatchObject({ code: 200 })
    expect(await admin.call('POST', `${DATA}/disable/${dictCode}`)).toMatchObject({ code: 200 })
    expect((await byType('sys_user_sex')).json().data).toHaveLength(1)
    expect((await byType('sys_user_sex', '?all=1')).json().data).toHaveLength(2)
    await admin.call('POST', `${DATA}/enable/${dictCode}`)
  })

  test('a value in use can be neither deleted nor changed, and the message counts the rows', async () => {
    const { data } = await admin.call('POST', DATA, entry('sys_user_sex', '3'))
    await app.db.update(accounts).set({ gender: 3 }).where(eq(accounts.uid, admin.uid))
    expect(await admin.call('DELETE', `${DATA}/${data.dictCode}`)).toMatchObject({
      code: 400,
      msg: '「账号 · 性别」有1条数据正在使用该键值，不能删除',
    })
    const moved = { ...entry('sys_user_sex', '4'), dictCode: data.dictCode, rev: 0 }
    expect(await admin.call('PUT', DATA, moved)).toMatchObject({ code: 400, data: { field: 'dictValue' } })
    await app.db.update(accounts).set({ gender: null }).where(eq(accounts.uid, admin.uid))
    expect(await admin.call('DELETE', `${DATA}/${data.dictCode}`)).toMatchObject({ code: 200 })
  })
})

describe('entries by type', () => {
  test('DICT-02 the entries of a type are open to every session, sorted, and return 304 until a change', async () => {
    const { dictType } = await newType()
    await admin.call('POST', DATA, entry(dictType, 'late', { dictSort: 2 }))
    await admin.call('POST', DATA, entry(dictType, 'early', { dictSort: 1 }))
    await admin.call('POST', DATA, entry(dictType, 'off', { dictSort: 0, status: 0 }))
    const plain = await app.as()
    const first = await plain.inject({ method: 'GET', url: `${DATA}/type/${dictType}` })
    expect(first.json().data.map(({ dictValue }: { dictValue: string }) => dictValue)).toEqual(['early', 'late'])
    const etag = String(first.headers.etag)
    const again = await byType(dictType, '', { 'if-none-match': etag })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect((await byType(dictType, '', { 'if-none-match': `W/${etag}` })).statusCode).toBe(304)
    await admin.call('POST', DATA, entry(dictType, 'new'))
    const changed = await byType(dictType, '', { 'if-none-match': etag })
    expect(changed.statusCode).toBe(200)
    expect(changed.json().data).toHaveLength(3)
  })

  test('an unknown or disabled type is empty, and a request without a session is refused', async () => {
    expect((await byType('no_such_type')).json()).toMatchObject({ code: 200, data: [] })
    const { dictType, dictId } = await newType()
    await admin.call('POST', DATA, entry(dictType, 'a'))
    await admin.call('POST', `${TYPE}/disable/${dictId}`)
    expect((await byType(dictType)).json().data).toEqual([])
    expect(await app.stranger().call('GET', `${DATA}/type/${dictType}`)).toMatchObject({ code: 401 })
  })

  test('DICT-02 every change is published to open consoles', async () => {
    const { dictType } = await newType()
    const heard: string[] = []
    const stop = app.services.events.on('dict', ({ type }) => void heard.push(type))
    const hears = (count: number, type = dictType) =>
      expect.poll(() => heard.filter((each) => each === type).length).toBe(count)
    await app.services.events.publish(app.db, 'dict', { type: 'mark' })
    await hears(1, 'mark')
    heard.length = 0
    const { data } = await admin.call('POST', DATA, entry(dictType, 'a'))
    await hears(1)
    await admin.call('POST', `${DATA}/disable/${data.dictCode}`)
    await hears(2)
    await admin.call('DELETE', `${DATA}/${data.dictCode}`)
    await hears(3)
    await admin.call('DELETE', '/api/v1/sys/dict/type/refreshCache')
    await hears(1, '*')
    stop()
  })
})
