import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'

const app = useApp()
const NAMES = ['上海电器', '北京科技', 'Zebra', '中山照明', '阿里云', 'apple', '广州安防']
const IN_ORDER = ['阿里云', '北京科技', '广州安防', '上海电器', '中山照明', 'apple', 'Zebra']

test('tenant names sort in pinyin order and ignore letter case, in both directions and across pages', async () => {
  for (const name of NAMES) await app.by({ tenant: `${name}-排序` })
  const admin = await app.by({ superAdmin: true })
  const page = async (isAsc: string, pageNum = 1, pageSize = 10) => {
    const query = `name=${encodeURIComponent('-排序')}&orderByColumn=name&isAsc=${isAsc}`
    const { data } = await admin.call('GET', `/api/v1/tenant/page?${query}&pageNum=${pageNum}&pageSize=${pageSize}`)
    return data.list.map(({ name }: { name: string }) => name.replace('-排序', ''))
  }
  expect(await page('asc')).toEqual(IN_ORDER)
  expect(await page('desc')).toEqual(IN_ORDER.toReversed())
  expect([...(await page('asc', 1, 3)), ...(await page('asc', 2, 3)), ...(await page('asc', 3, 3))]).toEqual(IN_ORDER)
})

test('the collation of names is deterministic, so that different names never compare as equal', async () => {
  const { rows } = await app.db.execute(
    sql`select collprovider as provider, collisdeterministic as deterministic from pg_collation where collname = 'oms_names'`,
  )
  expect(rows).toEqual([{ provider: 'i', deterministic: true }])
})
