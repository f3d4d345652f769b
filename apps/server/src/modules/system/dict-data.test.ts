import { and, eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { accounts } from '#core/schema/account.ts'
import { dictData } from '#core/schema/system.ts'
import { DICT_DATA_URL, buildEntry, DICT_TYPE_URL, withDicts } from './dict-fixture.ts'

const { app, admin, newType, byType } = withDicts()

describe('dictionary entries', () => {
  test('DICT-01 an entry can be added with only the specified fields, and a change keeps omitted fields', async () => {
    const { dictType } = await newType()
    const plain = { dictType, dictLabel: '标签', dictValue: '1' }
    const { code, msg, data } = await admin.call('POST', DICT_DATA_URL, plain)
    expect(code, msg).toBe(200)
    const read = async () => (await admin.call('GET', `${DICT_DATA_URL}/${data.dictCode}`)).data
    expect(await read()).toMatchObject({ status: 1, listClass: 'default', dictSort: 0, isDefault: 'N' })
    const full = { status: 0, listClass: 'danger', cssClass: 'big', dictSort: 7, isDefault: 'Y', remark: '备注' }
    expect((await admin.call('PUT', DICT_DATA_URL, { ...plain, ...full, dictCode: data.dictCode })).code).toBe(200)
    const renamed = { ...plain, dictLabel: '新标签', dictCode: data.dictCode }
    expect((await admin.call('PUT', DICT_DATA_URL, renamed)).code).toBe(200)
    expect(await read()).toMatchObject({ ...full, dictLabel: '新标签' })
    expect((await admin.call('PUT', DICT_DATA_URL, { ...renamed, remark: '' })).code).toBe(200)
    expect((await read()).remark).toBe('')
  })

  test('DICT-01 an entry can be added, read by id, by type and in the list, changed and deleted', async () => {
    const { dictType } = await newType()
    const created = await admin.call(
      'POST',
      DICT_DATA_URL,
      buildEntry(dictType, 'a', { listClass: 'success', cssClass: 'big-one x' }),
    )
    expect(created).toMatchObject({ code: 200, msg: '新增成功' })
    const id = created.data.dictCode
    const one = await admin.call('GET', `${DICT_DATA_URL}/${id}`)
    expect(one.data).toMatchObject({
      dictLabel: '标签a',
      dictValue: 'a',
      listClass: 'success',
      cssClass: 'big-one x',
      isDefault: 'N',
      rev: 0,
    })
    const page = await admin.call('GET', `${DICT_DATA_URL}/list?dictType=${dictType}&dictLabel=标签&pageSize=10`)
    expect(page.data).toMatchObject({ total: 1, list: [{ dictCode: id }] })
    const saved = await admin.call('PUT', DICT_DATA_URL, {
      ...buildEntry(dictType, 'a', { dictLabel: '新名' }),
      dictCode: id,
      rev: 0,
    })
    expect(saved).toMatchObject({ code: 200, data: { rev: 1 } })
    expect((await byType(dictType)).json().data).toMatchObject([{ dictLabel: '新名', dictValue: 'a' }])
    expect(await admin.call('DELETE', `${DICT_DATA_URL}/${id}`)).toMatchObject({ code: 200, msg: '删除成功' })
    expect((await byType(dictType)).json().data).toEqual([])
    expect(await admin.call('GET', `${DICT_DATA_URL}/${id}`)).toMatchObject({
      code: 400,
      msg: '字典数据不存在或已被删除',
    })
  })

  test('a save with an old revision is refused with the name of the last editor', async () => {
    const { dictType } = await newType()
    const { data } = await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a'))
    const save = { ...buildEntry(dictType, 'a'), dictCode: data.dictCode, rev: 0 }
    await admin.call('PUT', DICT_DATA_URL, { ...save, dictLabel: '甲' })
    const late = await admin.call('PUT', DICT_DATA_URL, { ...save, dictLabel: '乙' })
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
  ])('DICT-01 an entry with %j is refused', async (wrong, msg, field) => {
    const { dictType } = await newType()
    const answer = await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a', wrong))
    expect(answer).toMatchObject({ code: 400, msg })
    expect(answer.data?.field).toBe(field)
  })

  test('a value is unique within its type and can be used again after deletion', async () => {
    const { dictType } = await newType()
    const other = await newType()
    const { data } = await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a'))
    const taken = { code: 400, msg: '字典键值已被「标签a」使用', data: { field: 'dictValue' } }
    expect(await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a'))).toMatchObject(taken)
    expect(await admin.call('POST', DICT_DATA_URL, buildEntry(other.dictType, 'a'))).toMatchObject({ code: 200 })
    const second = await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'b'))
    const onto = { ...buildEntry(dictType, 'a'), dictCode: second.data.dictCode, rev: 0 }
    expect(await admin.call('PUT', DICT_DATA_URL, onto)).toMatchObject(taken)
    await admin.call('DELETE', `${DICT_DATA_URL}/${data.dictCode}`)
    expect(await admin.call('PUT', DICT_DATA_URL, onto)).toMatchObject({ code: 200 })
  })

  test('one of twenty simultaneous additions of the same value succeeds', async () => {
    const { dictType } = await newType()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a'))),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 400)).toHaveLength(19)
  })

  test('at most one entry of a type is the default', async () => {
    const { dictType } = await newType()
    const isDefault = 'Y'
    await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a', { isDefault }))
    await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'b', { isDefault }))
    const entries = (await byType(dictType)).json().data as { dictValue: string; isDefault: string }[]
    expect(entries.map((each) => each.dictValue + each.isDefault)).toEqual(['aN', 'bY'])
  })

  test('a shipped entry keeps its value and cannot be deleted, but can be renamed and disabled', async () => {
    const [male] = await app.db
      .select()
      .from(dictData)
      .where(and(eq(dictData.dictType, 'sys_user_sex'), eq(dictData.dictValue, '1')))
    const { dictCode, rev } = male!
    expect(await admin.call('DELETE', `${DICT_DATA_URL}/${dictCode}`)).toMatchObject({ code: 501 })
    const change = { ...buildEntry('sys_user_sex', '7', { dictLabel: '先生' }), dictCode, rev }
    expect(await admin.call('PUT', DICT_DATA_URL, change)).toMatchObject({ code: 400, data: { field: 'dictValue' } })
    expect(await admin.call('PUT', DICT_DATA_URL, { ...change, dictValue: '1' })).toMatchObject({ code: 200 })
    expect(await admin.call('POST', `${DICT_DATA_URL}/disable/${dictCode}`)).toMatchObject({ code: 200 })
    expect((await byType('sys_user_sex')).json().data).toHaveLength(1)
    expect((await byType('sys_user_sex', '?all=1')).json().data).toHaveLength(2)
    await admin.call('POST', `${DICT_DATA_URL}/enable/${dictCode}`)
  })

  test('a value that is in use can be neither deleted nor changed, and the message counts the rows', async () => {
    const { data } = await admin.call('POST', DICT_DATA_URL, buildEntry('sys_user_sex', '3'))
    await app.db.update(accounts).set({ gender: 3 }).where(eq(accounts.uid, admin.uid))
    expect(await admin.call('DELETE', `${DICT_DATA_URL}/${data.dictCode}`)).toMatchObject({
      code: 400,
      msg: '「账号 · 性别」有1条数据正在使用该键值，不能删除',
    })
    const moved = { ...buildEntry('sys_user_sex', '4'), dictCode: data.dictCode, rev: 0 }
    expect(await admin.call('PUT', DICT_DATA_URL, moved)).toMatchObject({ code: 400, data: { field: 'dictValue' } })
    await app.db.update(accounts).set({ gender: null }).where(eq(accounts.uid, admin.uid))
    expect(await admin.call('DELETE', `${DICT_DATA_URL}/${data.dictCode}`)).toMatchObject({ code: 200 })
  })
})

describe('entries by type', () => {
  test('DICT-02 every session can read the sorted entries of a type, and gets 304 until a change', async () => {
    const { dictType } = await newType()
    await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'late', { dictSort: 2 }))
    await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'early', { dictSort: 1 }))
    await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'off', { dictSort: 0, status: 0 }))
    const plain = await app.as()
    const first = await plain.inject({ method: 'GET', url: `${DICT_DATA_URL}/type/${dictType}` })
    expect(first.json().data.map(({ dictValue }: { dictValue: string }) => dictValue)).toEqual(['early', 'late'])
    const etag = String(first.headers.etag)
    const again = await byType(dictType, '', { 'if-none-match': etag })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect((await byType(dictType, '', { 'if-none-match': `W/${etag}` })).statusCode).toBe(304)
    await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'new'))
    const changed = await byType(dictType, '', { 'if-none-match': etag })
    expect(changed.statusCode).toBe(200)
    expect(changed.json().data).toHaveLength(3)
  })

  test('an unknown or disabled type returns no entries, and a request without a session is refused', async () => {
    expect((await byType('no_such_type')).json()).toMatchObject({ code: 200, data: [] })
    const { dictType, dictId } = await newType()
    await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a'))
    await admin.call('POST', `${DICT_TYPE_URL}/disable/${dictId}`)
    expect((await byType(dictType)).json().data).toEqual([])
    expect(await app.stranger().call('GET', `${DICT_DATA_URL}/type/${dictType}`)).toMatchObject({ code: 401 })
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
    const { data } = await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, 'a'))
    await hears(1)
    await admin.call('POST', `${DICT_DATA_URL}/disable/${data.dictCode}`)
    await hears(2)
    await admin.call('DELETE', `${DICT_DATA_URL}/${data.dictCode}`)
    await hears(3)
    await admin.call('DELETE', '/api/v1/sys/dict/type/refreshCache')
    await hears(1, '*')
    stop()
  })
})
