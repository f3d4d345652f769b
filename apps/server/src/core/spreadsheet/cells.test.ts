import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Column } from './columns.ts'
import { TABLE_LIMITS, type TableLimits, openTableInThread } from './table-thread.ts'
import { openTable } from './table-reader.ts'
import { writeXlsx } from './formats/xlsx-writer.ts'
import { openZip, writeZip } from './formats/zip.ts'

const COLUMNS: Column[] = [
  { key: 'name', title: '名称' },
  { key: 'count', title: '数量', type: 'number' },
]
const bytesOf = async (stream: AsyncIterable<Buffer>) => Buffer.concat(await arrayOf(stream))
async function arrayOf<T>(items: AsyncIterable<T>) {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
async function read(bytes: Uint8Array, name: string, limits?: Partial<TableLimits>) {
  const { header, rows } = await openTable(bytes, name, limits)
  return { header, rows: await arrayOf(rows) }
}
/** Creates a workbook around the rows of one sheet, in the format of other programs. */
const workbook = (sheet: string, more: Record<string, string> = {}) => {
  const parts: Record<string, string> = {
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Target="worksheets/one.xml" Id="rId1"/></Relationships>',
    'xl/worksheets/one.xml': `<?xml version="1.0"?><x:worksheet><x:sheetData>${sheet}</x:sheetData></x:worksheet>`,
    ...more,
  }
  return bytesOf(writeZip(Object.entries(parts).map(([name, xml]) => ({ name, source: [Buffer.from(xml)] }))))
}

describe('cells whose stored value differs from what their author saw', () => {
  const problemsOf = async (sheet: string, formats: string[] = []) => {
    const xfs = formats.map((_, at) => `<xf numFmtId="${200 + at}"/>`).join('')
    const numFmts = formats.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`).join('')
    const bytes = await workbook(`<row><c t="str"><v>a</v></c></row><row>${sheet}</row>`, {
      'xl/styles.xml': `<styleSheet><numFmts>${numFmts}</numFmts><cellXfs>${xfs}</cellXfs></styleSheet>`,
    })
    const { rows } = await read(bytes, 'a.xlsx')
    return rows.flatMap(({ cells, problems }) => [...(problems ?? [])].map(([at, msg]) => `${at} ${cells[at]} ${msg}`))
  }

  test.each([
    ['more than fifteen digits', '<c><v>123456789012346000</v></c>', '超过15位'],
    ['leading zeros of a format', '<c s="0"><v>7</v></c>', '数字格式'],
    ['letters of a format', '<c s="1"><v>7</v></c>', '数字格式'],
    ['a percentage', '<c s="2"><v>0.5</v></c>', '数字格式'],
    ['a formula without a value', '<c><f>A1</f></c>', '公式没有计算结果'],
    ['a date', '<c s="3"><v>46085</v></c>', '“文本”格式'],
    ['a date of a strict workbook', '<c s="3" t="d"><v>2026-03-04</v></c>', '“文本”格式'],
    ['an error value', '<c t="e"><v>#N/A</v></c>', '错误值#N/A'],
  ])('a cell with %s is reported', async (_, cell, message) => {
    expect(await problemsOf(cell, ['0000', '&quot;SN&quot;0', '0%', 'm&quot;月&quot;d&quot;日&quot;'])).toEqual([
      expect.stringContaining(message),
    ])
  })

  test('a number whose format shows its own digits is accepted', async () => {
    const cells =
      '<c s="0"><v>12345</v></c><c s="1"><v>1234.5</v></c><c><v>123456789012345</v></c><c t="str"><f>A1</f><v></v></c>'
    expect(await problemsOf(cells, ['0000', '[$¥-804]#,##0.00_);[Red]\\(0\\)'])).toEqual([])
  })

  test('midnight in a column of times is read with its time, and a hidden first sheet is skipped', async () => {
    const bytes = await workbook(
      '<row><c t="str"><v>时间</v></c></row><row><c s="0"><v>45000</v></c><c s="1"><v>45000</v></c></row>',
      {
        'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="22"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        'xl/workbook.xml':
          '<workbook><sheets><sheet name="h" state="veryHidden" r:id="rId9"/><sheet name="a" r:id="rId1"/></sheets></workbook>',
      },
    )
    expect((await read(bytes, 'a.xlsx')).rows[0]?.cells).toEqual(['2023-03-15 00:00:00', '2023-03-15'])
  })

  test('dates of a strict workbook are read with the time when their number format shows the time', async () => {
    const cells = ['2026-03-04', '2026-03-04T00:00:00.000', '2026-03-04T08:05:09.123Z']
    const row = (style: number) => cells.map((text) => `<c s="${style}" t="d"><v>${text}</v></c>`).join('')
    const bytes = await workbook(`<row><c t="str"><v>a</v></c></row><row>${row(0)}</row><row>${row(1)}</row>`, {
      'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="14"/><xf numFmtId="22"/></cellXfs></styleSheet>',
    })
    expect((await read(bytes, 'a.xlsx')).rows.map(({ cells: shown }) => shown)).toEqual([
      ['2026-03-04', '2026-03-04', '2026-03-04 08:05:09'],
      ['2026-03-04 00:00:00', '2026-03-04 00:00:00', '2026-03-04 08:05:09'],
    ])
  })

  test('a chart before the first sheet is skipped', async () => {
    const type = (kind: string) => `Type="http://purl.oclc.org/ooxml/officeDocument/relationships/${kind}"`
    const bytes = await workbook('<row><c t="str"><v>a</v></c></row><row><c><v>1</v></c></row>', {
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="图" r:id="rId9"/><sheet name="a" r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': `<Relationships><Relationship ${type('chartsheet')} Target="chartsheets/sheet1.xml" Id="rId9"/><Relationship ${type('worksheet')} Target="worksheets/one.xml" Id="rId1"/></Relationships>`,
    })
    expect(await read(bytes, 'a.xlsx')).toEqual({ header: ['a'], rows: [{ row: 2, cells: ['1'] }] })
  })

  test('merged cells are refused by their range, and hidden rows are marked', async () => {
    const sheet = '<row><c t="str"><v>a</v></c></row><row hidden="1"><c><v>1</v></c></row><row><c><v>2</v></c></row>'
    expect((await read(await workbook(sheet), 'a.xlsx')).rows).toEqual([
      { row: 2, cells: ['1'], isHidden: true },
      { row: 3, cells: ['2'] },
    ])
    const merged = `${sheet}</x:sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells><x:sheetData>`
    await expect(read(await workbook(merged), 'a.xlsx')).rejects.toThrow('合并单元格（A2:A3）')
  })

  test('text columns and the cells of a form are formatted as text', async () => {
    const bytes = await bytesOf(writeXlsx(COLUMNS, [{ name: '007' }], { isForm: true }))
    const sheet = await bytesOf((await (await openZip(bytes, TABLE_LIMITS)).open('xl/worksheets/sheet1.xml')) as never)
    expect(sheet.toString()).toContain('<col min="1" max="1" width="18" style="4"')
    expect(sheet.toString()).toContain('<c r="A2" s="4" t="inlineStr">')
  })
})

describe('reading a table in a worker thread', () => {
  const opened = async (bytes: Uint8Array, name: string, limits?: { workMs: number; heapMb: number }) => {
    const table = await openTableInThread(bytes, name, {}, limits)
    try {
      return await arrayOf(table.rows)
    } finally {
      table.close()
    }
  }

  test('all rows are returned, sent by the worker thread in several messages', async () => {
    const lines = Array.from({ length: 1700 }, (_, at) => `甲${at},${at}`)
    const rows = await opened(Buffer.from(['名称,数量', ...lines].join('\n')), 'a.csv')
    expect(rows).toHaveLength(1700)
    expect(rows.at(-1)).toEqual({ row: 1701, cells: ['甲1699', '1699'] })
    await expect(opened(Buffer.from('a,"b'), 'a.csv')).rejects.toMatchObject({ name: 'UnreadableTableError' })
  })

  test('reading stops when the table exceeds its time or memory limit', async () => {
    const texts = '<si><t>x</t></si>'.repeat(800_000)
    const bytes = await workbook('<row><c><v>1</v></c></row>', {
      'xl/sharedStrings.xml': `<sst>${texts}</sst>`,
      ballast: randomBytes(400_000).toString('hex'),
    })
    // One millisecond is less than any thread takes to start, on any machine.
    await expect(opened(bytes, 'a.xlsx', { workMs: 1, heapMb: 256 })).rejects.toMatchObject({
      name: 'UnreadableTableError',
      message: expect.stringContaining('过于复杂'),
    })
    await expect(opened(bytes, 'a.xlsx', { workMs: 60_000, heapMb: 8 })).rejects.toMatchObject({
      name: 'UnreadableTableError',
    })
  })

  const DENSE = 400_000
  test.each(['[', '"', '\\', '0', 'y', '_', ';', '*', ' ', '%'])(
    'a number format of repeated %j does not delay other requests',
    async (character) => {
      const code = character.replace('"', '&quot;').repeat(DENSE)
      const bytes = await workbook('<row><c><v>1</v></c></row><row><c s="0"><v>5</v></c></row>', {
        'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${code.slice(0, 1_000_000)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
      })
      // Measures CPU time instead of elapsed time, so that other tests on this machine do not count.
      const started = process.cpuUsage()
      await read(bytes, 'a.xlsx').catch(() => undefined)
      const { user } = process.cpuUsage(started)
      expect(user / 1000).toBeLessThan(2_000)
    },
  )
})
