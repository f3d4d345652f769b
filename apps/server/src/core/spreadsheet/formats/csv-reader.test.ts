import { describe, expect, test } from 'vitest'
import { openTable } from '#core/spreadsheet/table-reader.ts'

describe('CSV files of other programs', () => {
  const lines = async (text: string) => {
    const { header, rows } = await openTable(Buffer.from(text), 'a.csv')
    const all: (readonly unknown[])[] = [header]
    for await (const { row, cells, problems } of rows) all.push([row, ...cells, ...(problems?.keys() ?? [])])
    return all
  }

  test('the first line may name the separator or be empty', async () => {
    expect(await lines('\ufeffsep=;\r\na;b\r\n1,5;2\r\n')).toEqual([
      ['a', 'b'],
      [2, '1,5', '2'],
    ])
    expect(await lines('\r\na;b\r\n1;2\r\n')).toEqual([
      ['a', 'b'],
      [3, '1', '2'],
    ])
  })

  test.each([
    ['5" 屏,x', [3, '5" 屏', 'x', 0]],
    ['"屏"幕,x', [3, '"屏"幕', 'x', 0]],
    ['"屏幕,x', [3, '"屏幕', 'x', 0]],
    ['x,屏幕"', [3, 'x', '屏幕"', 1]],
  ])('the wrong quote of the line %s is a problem of this line only', async (line, expected) => {
    for (const after of ['y,"第1行\n""第2行"" "\n', 'y,z\n'.repeat(3)]) {
      const found = await lines(`a,b\nu,v\n${line}\n${after}`)
      expect(found.slice(0, 3)).toEqual([['a', 'b'], [2, 'u', 'v'], expected])
      expect(found.slice(3).every((each) => each.length === 3)).toBe(true)
    }
  })
})
