import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBufferPromise } from 'yauzl'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { writeCsv } from './csv.ts'
import { openTable } from '#core/spreadsheet/table-reader.ts'
import { writeXlsx } from './xlsx-writer.ts'
import { writeZip } from './zip.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oms-table-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const columns = [{ key: 'n', title: '序号', type: 'number' as const }]
function* numbers(count: number, drawn: { count: number; closed?: boolean } = { count: 0 }) {
  try {
    for (let n = 1; n <= count; n++) {
      drawn.count = n
      yield { n }
    }
  } finally {
    drawn.closed = true
  }
}

test.each([
  ['xlsx', writeXlsx],
  ['csv', writeCsv],
] as const)('the %s writer sends bytes before the first row is available', async (_, write) => {
  async function* never() {
    await new Promise(() => {})
    yield { n: 1 }
  }
  const stream = write(columns, never())
  const [first] = await once(stream, 'data')
  expect(first.length).toBeGreaterThan(0)
})

test.each([
  ['xlsx', writeXlsx],
  ['csv', writeCsv],
] as const)(
  'the %s writer waits for a slow reader, and closes its row source when the reader stops',
  async (_, write) => {
    const drawn = { count: 0, closed: false }
    let chunks = 0
    for await (const __ of write(columns, numbers(10_000_000, drawn))) if (++chunks === 12) break
    expect(drawn.count).toBeLessThan(1_000_000)
    await vi.waitFor(() => expect(drawn.closed).toBe(true))
  },
)

test('the download is aborted when reading the rows fails', async () => {
  async function* failing() {
    yield { n: 1 }
    throw new Error('database gone')
  }
  for (const write of [writeXlsx, writeCsv])
    await expect(write(columns, failing()).toArray()).rejects.toThrow('database gone')
})

test('rows beyond the capacity of a sheet are written to a second sheet', async () => {
  const chunks: Buffer[] = await writeXlsx(columns, numbers(1_048_577), { sheet: '设备' }).toArray()
  const zip = await fromBufferPromise(Buffer.concat(chunks))
  const names: string[] = []
  for await (const entry of zip.eachEntry()) names.push(entry.fileName)
  expect(names.filter((name) => name.startsWith('xl/worksheets/'))).toHaveLength(2)
}, 60_000)

test('the entries of an archive get safe, distinct names', async () => {
  const source = [Buffer.from('x')]
  const names = ['../../a.txt', '/a.txt', 'b\\a.txt', 'A.txt', '报告.pdf', '..']
  const bytes = Buffer.concat(await writeZip(names.map((name) => ({ name, source }))).toArray())
  const found: string[] = []
  for await (const entry of (await fromBufferPromise(bytes)).eachEntry()) found.push(entry.fileName)
  expect(found).toEqual(['a.txt', 'a (2).txt', 'b/a.txt', 'A (3).txt', '报告.pdf', 'file'])
})

const PYTHON = `
import sys, zipfile, xml.etree.ElementTree as E
z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
for n in z.namelist(): E.fromstring(z.read(n))
ns = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
for row in E.fromstring(z.read('xl/worksheets/sheet1.xml')).iter(ns + 'row'): print('|'.join(''.join(c.itertext()) for c in row))
`
const hasPython = () => {
  try {
    return execFileSync('python3', ['--version']).length > 0
  } catch {
    return false
  }
}

test.skipIf(!hasPython())('the zip and XML libraries of Python read the written workbook', async () => {
  const path = join(folder, 'a.xlsx')
  const rows = [
    { n: 1, t: '=<&>' },
    { n: 2, t: '中文' },
  ]
  await writeFile(path, writeXlsx([...columns, { key: 't', title: '文本' }], rows))
  expect(execFileSync('python3', ['-c', PYTHON, path], { encoding: 'utf8' })).toBe('序号|文本\n1|=<&>\n2|中文\n')
  const { rows: read } = await openTable({ path }, path)
  expect(await read.next()).toMatchObject({ value: { row: 2, cells: ['1', '=<&>'] } })
  await read.return(undefined)
})
