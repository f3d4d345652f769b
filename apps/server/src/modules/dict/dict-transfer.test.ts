import { describe, expect, test } from 'vitest'
import { DICT_DATA_URL, buildEntry, DICT_TYPE_URL, withDicts } from './dict-fixture.ts'

const { admin, newType, byType } = withDicts()

describe('spreadsheets', () => {
  const send = (csv: string, query: string) => {
    const boundary = 'xxBOUNDARYxx'
    const payload = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${csv}\r\n--${boundary}--\r\n`
    return admin
      .inject({
        method: 'POST',
        url: `${DICT_DATA_URL}/import?${query}`,
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        payload,
      })
      .then((reply) => reply.json())
  }

  test('an exported dictionary can be imported again, and a dry run changes nothing', async () => {
    const { dictType } = await newType()
    await admin.call(
      'POST',
      DICT_DATA_URL,
      buildEntry(dictType, 'a', { listClass: 'danger', isDefault: 'Y', dictLabel: '=1+1' }),
    )
    const csv = (await admin.inject({ method: 'GET', url: `${DICT_DATA_URL}/export?format=csv&dictType=${dictType}` }))
      .body
    expect(csv).toContain(`'=1+1`)
    const { dictType: other } = await newType()
    const text = csv.replaceAll(dictType, other)
    expect((await send(text, 'dryRun=1')).data).toMatchObject({ total: 1, created: 1, failed: 0, dryRun: true })
    expect((await byType(other)).json().data).toEqual([])
    expect((await send(text, '')).data).toMatchObject({ created: 1, updated: 0, failed: 0 })
    expect((await byType(other)).json().data).toMatchObject([
      { dictLabel: '=1+1', dictValue: 'a', listClass: 'danger', isDefault: 'Y' },
    ])
    expect((await send(text, '')).data).toMatchObject({ created: 0, failed: 1, rows: [{ msg: '字典键值已存在' }] })
    expect((await send(text, 'update=1')).data).toMatchObject({ created: 0, updated: 1, failed: 0 })
  })

  test('an import creates valid lines and reports every invalid line with row and column', async () => {
    const { dictType } = await newType()
    const lines = ['字典标签,字典键值,状态', '好,1,启用', '坏,,启用', '坏,3,也许', '又好,1,停用', '']
    const { data } = await send(lines.join('\r\n'), `dictType=${dictType}`)
    expect(data).toMatchObject({
      total: 4,
      created: 1,
      failed: 3,
      rows: [
        { row: 3, field: '字典键值', msg: '请输入字典键值' },
        { row: 4, field: '状态', msg: '状态只能填写停用、启用' },
        { row: 5, field: '字典键值', msg: '与第2行重复' },
      ],
    })
    expect((await byType(dictType)).json().data).toHaveLength(1)
  })

  test('an import may contain several dictionaries; lines of an unknown dictionary are reported', async () => {
    const [{ dictType: one }, { dictType: two }] = [await newType(), await newType()]
    const lines = ['字典类型,字典标签,字典键值', `${two},甲,1`, 'no_such_type,乙,1', `${one},丙,1`, ',丁,2']
    const { data } = await send(lines.join('\r\n'), '')
    expect(data).toMatchObject({
      created: 2,
      rows: [
        { row: 3, field: '字典类型', msg: '字典类型不存在' },
        { row: 5, field: '字典类型', msg: '请输入字典类型' },
      ],
    })
    for (const type of [one, two]) expect((await byType(type)).json().data).toHaveLength(1)
  })

  test('a line with several invalid fields is reported with one problem per field', async () => {
    const { dictType } = await newType()
    await admin.call('POST', DICT_DATA_URL, buildEntry(dictType, '1'))
    const lines = ['字典类型,字典标签,字典键值,状态', `no_such_type,,1,启用`, `${dictType},甲,1,也许`]
    for (const query of ['dryRun=1', '']) {
      const { data } = await send(lines.join('\r\n'), query)
      expect(data).toMatchObject({ created: 0, failed: 2 })
      expect(data.rows).toEqual([
        { row: 2, field: '字典类型', msg: '字典类型不存在' },
        { row: 2, field: '字典标签', msg: '请输入字典标签' },
        { row: 3, field: '字典键值', msg: '字典键值已存在' },
        { row: 3, field: '状态', msg: '状态只能填写停用、启用' },
      ])
    }
  })

  test('a spreadsheet without the required columns is refused with a message', async () => {
    expect(await send('甲,乙\r\n1,2\r\n', '')).toMatchObject({ code: 400, data: { field: 'file' } })
  })

  test('the template and both exports are Excel workbooks', async () => {
    for (const [url, type] of [
      [`${DICT_DATA_URL}/template`, 'application/vnd.openxmlformats'],
      [`${DICT_DATA_URL}/export`, 'application/vnd.openxmlformats'],
      [`${DICT_TYPE_URL}/export?columns=dictType&columns=dictName`, 'application/vnd.openxmlformats'],
    ] as const) {
      const reply = await admin.inject({ method: 'GET', url })
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['content-type']).toContain(type)
      expect(reply.rawPayload.length).toBeGreaterThan(50)
    }
  })
})
