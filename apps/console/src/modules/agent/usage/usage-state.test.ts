import { describe, expect, test } from 'vitest'
import { changeTableState, changeUsageState, parseTableState, parseUsageState } from '../usage-state.ts'

const GROUPS = [1, 2, 3] as const
const NOW = new Date('2026-03-02T16:00:00Z')
const parse = (query: string) => parseUsageState(new URLSearchParams(query), GROUPS, NOW)

describe('state of the usage in the URL', () => {
  test('a URL without parameters shows the turns of the last 30 days in the first grouping', () => {
    expect(parse('')).toEqual({ startDate: '2026-02-02', endDate: '2026-03-03', measure: 'turns', by: 1, incomeBy: 1 })
  })

  test('tenant, source, dates and groupings are read from the URL', () => {
    const query = 'view=usage&tenantId=7&source=2&startDate=2026-03-01&endDate=2026-03-02&measure=cost&by=3&incomeBy=2'
    expect(parse(query)).toEqual({
      tenantId: 7,
      source: 2,
      startDate: '2026-03-01',
      endDate: '2026-03-02',
      measure: 'cost',
      by: 3,
      incomeBy: 2,
    })
  })

  test('invalid values in the URL are replaced by the defaults', () => {
    expect(parse('tenantId=x&source=-1&measure=nothing&by=9&incomeBy=0')).toEqual(parse(''))
  })

  test('changing a value keeps the other values, removes empty values and returns both tables to page 1', () => {
    const params = new URLSearchParams('view=usage&tenantId=7&source=2&pageNum=3&income.pageNum=2&pageSize=50')
    expect(changeUsageState(params, { source: undefined, by: 2 }).toString()).toBe(
      'view=usage&tenantId=7&pageSize=50&by=2',
    )
  })

  test('each table has its own page number and sort order in the URL', () => {
    const sorted = { ...parseTableState(new URLSearchParams(), 'income'), pageNum: 2 }
    const next = changeTableState(new URLSearchParams('view=usage&pageNum=3'), 'income', {
      ...sorted,
      sort: { column: 'income', direction: 'desc' },
    })
    expect(parseTableState(next, 'income')).toMatchObject({ pageNum: 2, sort: { column: 'income', direction: 'desc' } })
    expect(parseTableState(next, 'usage')).toMatchObject({ pageNum: 3, sort: undefined })
    expect(next.get('view')).toBe('usage')
  })
})
