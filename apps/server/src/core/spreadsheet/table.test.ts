// oxlint-disable vitest/expect-expect -- `refused` is the assertion
import { deflateRawSync } from 'node:zlib'
import { money } from '@oms/contract/core/fields.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Column, isFormula, type Row, createExportColumns, createCodeTranslator } from './columns.ts'
import { writeCsv } from './formats/csv.ts'
import { TABLE_LIMITS, type TableLimits } from './table-thread.ts'
import { openTable } from './table-reader.ts'
import { writeXlsx } from './formats/xlsx-writer.ts'
import { openZip, writeZip } from './formats/zip.ts'

const COLUMNS: Column[] = [
  { key: 'name', title: '名称' },
  { key: 'count', title: '数量', type: 'number' },
  { key: 'at', title: '时间', type: 'dateTime' },
]
const bytesOf = async (stream: AsyncIterable<Buffer>) => Buffer.concat(await arrayOf(stream))
async function arrayOf<T>(items: AsyncIterable<T>) {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
const xlsx = (columns: Column[], rows: Row[]) => bytesOf(writeXlsx(columns, rows))
const csv = (columns: Column[], rows: Row[]) => bytesOf(writeCsv(columns, rows))
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

describe('amounts of money', () => {
  const schema = z.object({ price: money('单价') })
  const row = createCodeTranslator(schema)({ price: 123_456 })

  test('amounts of money are exported in yuan with two decimals', async () => {
    const columns = createExportColumns(schema, ['price'])
    expect(columns).toMatchObject([{ title: '单价', type: 'money' }])
    expect((await csv(columns, [row])).toString()).toContain('1234.56')
    expect((await read(await xlsx(columns, [row]), 'a.xlsx')).rows).toMatchObject([{ cells: ['1234.56'] }])
  })

  test('costs with fractions of a fen keep four decimals in yuan', () => {
    const costs = z.object({ cost: z.number().meta({ title: '成本', unit: 'fen' }) })
    expect(createCodeTranslator(costs)({ cost: 494.627164 })).toEqual({ cost: '4.9463' })
    expect(createCodeTranslator(costs)({ cost: 3.1 })).toEqual({ cost: '0.031' })
  })

  test('amounts of money are numbers with a money format in a workbook', async () => {
    const zip = await openZip(await xlsx(createExportColumns(schema, ['price']), [row]), TABLE_LIMITS)
    const sheet = await bytesOf((await zip.open('xl/worksheets/sheet1.xml')) as never)
    expect(sheet.toString()).toContain('<c r="A2" s="5"><v>1234.56</v></c>')
  })
})

describe('exported files can be imported', () => {
  const rows = [
    { name: '=1+1', count: 12.5, at: '2026-11-20 20:43:10' },
    { name: ' "a", <b> & \r\n c', count: -3, at: '2026-11-20' },
    { name: null, count: '007', at: 'not a time' },
    { name: '_x0041_', count: 123456789012345680n, at: undefined },
  ]
  const expected = [
    ['=1+1', '12.5', '2026-11-20 20:43:10'],
    [' "a", <b> & \r\n c', '-3', '2026-11-20'],
    ['', '007', 'not a time'],
    ['_x0041_', '123456789012345680', ''],
  ]
  test.each([
    ['xlsx', xlsx],
    ['csv', csv],
  ] as const)('rows that are written as %s are read back unchanged', async (extension, write) => {
    const table = await read(await write(COLUMNS, rows), `a.${extension}`)
    expect(table.header).toEqual(['名称', '数量', '时间'])
    expect(table.rows.map(({ cells }) => cells)).toEqual(expected)
    expect(table.rows.map(({ row }) => row)).toEqual([2, 3, 4, 5])
  })

  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    fc.string({
      unit: fc.constantFrom(
        '"',
        ',',
        '\r',
        '\n',
        '\t',
        "'",
        '=',
        '-',
        '1',
        '_',
        'x',
        '0',
        '4',
        'A',
        '\u0001',
        '&',
        ';',
        '<',
        ']',
      ),
    }),
  )
  test.each([
    ['xlsx', xlsx],
    ['csv', csv],
  ] as const)('any text that is written as %s is read back unchanged', async (extension, write) => {
    const same = async (texts: string[]) => {
      const bytes = await write(
        [
          { key: 'k', title: 'k' },
          { key: 'n', title: 'n' },
        ],
        texts.map((n) => ({ k: 'x', n })),
      )
      const { rows } = await read(bytes, `a.${extension}`)
      expect(rows.map(({ cells }) => cells[1])).toEqual(texts)
    }
    await fc.assert(fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 20 }), same), { numRuns: 200 })
  })

  test('a CSV cell that a spreadsheet would run as a formula gets a leading quote; other cells are unchanged', () => {
    const parsed = async (text: string) => {
      const lines = (await csv([{ key: 'a', title: 'a' }], [{ a: text }])).toString()
      expect(lines.startsWith('\ufeffa\r\n')).toBe(true)
      const cell = lines.slice(4, -2)
      return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
    }
    const same = async (text: string) => {
      expect(await parsed(text)).toBe(isFormula(text) ? `'${text}` : text)
    }
    return fc.assert(fc.asyncProperty(anyText, same), { numRuns: 300 })
  })
})

test.each(['=1', '+1', '@a', '\tx', '\rx', '＝1', '＋1', '－1', '＠a', '-1+1', '-', '-a', "'=1"])(
  'the text %j counts as a formula in CSV',
  (text) => expect(isFormula(text)).toBe(true),
)
test.each(['-1', '-12.50', 'a=1', '1-1', '', "'-5", '说明'])('the text %j does not count as a formula', (text) =>
  expect(isFormula(text)).toBe(false),
)

describe('workbooks of other programs', () => {
  test('the reader reads shared and rich texts, styled dates, formula values, gaps, and cells without reference', async () => {
    const bytes = await workbook(
      '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="inlineStr"><is><t>c</t></is></c></row>' +
        '<row r="5"><c r="A5" t="s"><v>1</v></c><c r="C5" s="1"><v>45000.5</v></c><c r="D5"><f>1+1</f><v>2</v></c></row>' +
        '<row><c><v>0.30000000000000004</v></c><c t="b"><v>1</v></c><c s="1"><v>45000</v></c><c t="str"><v>a&amp;b&#20013;</v></c></row>',
      {
        'xl/sharedStrings.xml':
          '<sst><si><t>标题</t></si><si><r><t>富</t></r><r><t>文本</t></r><rPh><t>x</t></rPh></si></sst>',
        'xl/styles.xml':
          '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-804]yyyy&quot;年&quot;m"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
      },
    )
    expect(await read(bytes, 'a.xlsx')).toMatchObject({
      header: ['标题', '', 'c'],
      rows: [
        { row: 5, cells: ['富文本', '', '2023-03-15 12:00:00', '2'] },
        { row: 6, cells: ['0.3', 'TRUE', '2023-03-15', 'a&b中'] },
      ],
    })
  })

  test('empty lines of a CSV file count for row numbers but produce no rows', async () => {
    const { header, rows } = await read(Buffer.from(`a\n1\n${'\r\n'.repeat(400_000)}2\n\n3\n\n`), 'a.csv', {
      maxRows: 10 ** 6,
    })
    expect({ header, rows }).toEqual({
      header: ['a'],
      rows: [
        { row: 2, cells: ['1'] },
        { row: 400_003, cells: ['2'] },
        { row: 400_005, cells: ['3'] },
      ],
    })
  })

  test('a workbook whose bytes do not match their checksum is refused', async () => {
    const bytes = Buffer.from(await workbook('<row><c t="inlineStr"><is><t>名称</t></is></c></row>'))
    // In the central directory the checksum of an entry is 30 bytes before its name.
    const checksum = bytes.lastIndexOf('xl/worksheets/one.xml') - 30
    bytes.writeUInt32LE((bytes.readUInt32LE(checksum) ^ 1) >>> 0, checksum)
    await expect(read(bytes, 'a.xlsx')).rejects.toThrow('文件已损坏')
  })

  test('a CSV file may be in GBK or UTF-16, use semicolons, or lack a final line break', async () => {
    const gbk = Buffer.from('c3fbb3c62cb1b8d7a20d0ac9e8b1b82c610d0a', 'hex')
    expect(await read(gbk, 'a.csv')).toEqual({ header: ['名称', '备注'], rows: [{ row: 2, cells: ['设备', 'a'] }] })
    const utf16 = Buffer.from('\ufeff名\tb\n1\t2', 'utf16le')
    expect((await read(utf16, 'a.csv')).rows).toEqual([{ row: 2, cells: ['1', '2'] }])
    expect((await read(Buffer.from('a;b\n\n1'), 'A.CSV')).rows).toEqual([{ row: 3, cells: ['1', ''] }])
  })
})

describe('hostile files', () => {
  const refused = async (bytes: Uint8Array, msg: string, name = 'a.xlsx', limits?: Partial<TableLimits>) =>
    expect(read(bytes, name, limits)).rejects.toMatchObject({
      name: 'UnreadableTableError',
      message: expect.stringContaining(msg),
    })
  const cell = '<row><c><v>1</v></c></row>'

  test('a workbook with a document type or entities is refused', async () => {
    await refused(await workbook('', { 'xl/workbook.xml': '<!DOCTYPE a [<!ENTITY b "c">]><workbook/>' }), '无法识别')
    await refused(await workbook('<row><c t="str"><v>&xxe;</v></c></row>'), '无法识别')
    await refused(await workbook('<row><c t="str"><v>&toString;</v></c></row>'), '无法识别')
  })

  test('a text that cells share counts for every cell, and a cell may have the maximum length of Excel', async () => {
    const shared = (text: string) => ({ 'xl/sharedStrings.xml': `<sst><si><t>${text}</t></si></sst>` })
    const cells = (count: number) =>
      Array.from({ length: count }, (_, at) => `<row r="${at + 1}"><c r="A${at + 1}" t="s"><v>0</v></c></row>`).join('')
    const tooLong = '第1行有单元格超过32767个字符'
    await refused(await workbook(cells(2), shared('A'.repeat(32_768))), tooLong)
    await refused(Buffer.from(`a,${'A'.repeat(32_768)}\n1,2`), tooLong, 'a.csv')
    const longest = shared('A'.repeat(32_767))
    expect((await read(await workbook(cells(3), longest), 'a.xlsx')).rows).toHaveLength(2)
    await refused(await workbook(cells(2000), longest), '过大')
  })

  test('a workbook with too many entries, too large contents or too high compression is refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`m${at}`, '']))
    await refused(await workbook(cell, many), '过大')
    await refused(await workbook(cell), '过大', 'a.xlsx', { maxUnpackedBytes: 100 })
    await refused(await workbook(cell, { zeros: '0'.repeat(11_000_000) }), '过大')
  })

  test('a workbook with an entry larger than its declared size is refused', async () => {
    const bytes = await workbook(cell.repeat(5000))
    // The third entry of the central directory states the size of the sheet.
    const at = bytes.lastIndexOf('PK\u0001\u0002')
    bytes.writeUInt32LE(50, at + 24)
    await refused(bytes, '无法识别')
  })

  test('a table with too many rows or columns is refused', async () => {
    await refused(await workbook(`${cell}<row r="1048576"><c><v>1</v></c></row>`), '不能超过200000行')
    await refused(await workbook(`${cell}<row><c r="XFD2"><v>1</v></c></row>`), '不能超过200列')
    await refused(Buffer.from('a,b\n1,2\n3,4\n5,6\n'), '不能超过2行', 'a.csv', { maxRows: 2 })
    const full = await read(Buffer.from('a,b\n1,2\n3,4\n'), 'a.csv', { maxRows: 2 })
    expect(full.rows).toHaveLength(2)
    await refused(Buffer.from(','.repeat(500)), '不能超过200列', 'a.csv')
  })

  test('empty and truncated files and files of other formats are refused', async () => {
    await refused(Buffer.alloc(0), '无法识别')
    await refused(Buffer.from('\n\n'), '没有数据', 'a.csv')
    await refused(Buffer.from('a,"b\n1,2\n'), '第1行引号不正确', 'a.csv')
    await refused(Buffer.from([0x61, 0xff, 0xff, 0x0a]), '编码', 'a.csv')
    const whole = await xlsx(COLUMNS, [{ name: 'a' }])
    await refused(whole.subarray(0, whole.length / 2), '无法识别')
    await refused(deflateRawSync(whole), '无法识别')
  })

  test('the reader reports every invalid input as `UnreadableTableError`', async () => {
    const whole = await xlsx(COLUMNS, [{ name: 'a', count: 1, at: '2026-01-01 00:00:00' }])
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 8 })
    const survives = async (bytes: Uint8Array, name: string) => {
      const failure = await read(bytes, name).then(
        () => 'UnreadableTableError',
        (error: Error) => error.name,
      )
      expect(failure).toBe('UnreadableTableError')
    }
    const damaged = (changes: [number, number][]) => {
      const bytes = Buffer.from(whole)
      for (const [at, value] of changes) bytes[at] = value
      return survives(bytes, 'a.xlsx')
    }
    await fc.assert(fc.asyncProperty(damage, damaged), { numRuns: 300 })
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), (bytes) => survives(bytes, 'a.csv')),
      { numRuns: 300 },
    )
  })
})
