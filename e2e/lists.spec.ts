import { expect, test } from './fixtures.ts'
import { fresh } from './people.ts'

const ROWS = 320

test('PAGER-01 PAGER-02 PAGER-03 pages of 20 by default; five page numbers on a narrow screen, seven on a wide one; a new page starts at the top', async ({
  page,
  login,
  api,
}) => {
  const admin = await api()
  const type = fresh('pager_')
  await admin.call('POST', '/api/v1/sys/dict/type', { dictName: '分页测试', dictType: type, status: 1 })
  const { list } = await admin.call<{ list: { dictId: number }[] }>('GET', '/api/v1/sys/dict/type/list', {
    dictType: type,
  })
  for (let start = 1; start <= ROWS; start += 40) {
    const batch = Array.from({ length: 40 }, (_, index) => start + index)
    const add = (n: number) =>
      admin.call('POST', '/api/v1/sys/dict/data', {
        dictType: type,
        dictLabel: `条目 ${n}`,
        dictValue: `v${n}`,
        dictSort: n,
        status: 1,
      })
    await Promise.all(batch.map(add))
  }
  await login()
  await page.setViewportSize({ width: 1440, height: 700 })
  await page.goto(`/system/dict/data/index/${list[0]?.dictId}`)
  const pager = page.getByRole('navigation', { name: '分页' })
  await expect(pager).toContainText(`共 ${ROWS} 条`)
  await expect(page.getByText('条目 20', { exact: true })).toBeVisible()
  await expect(page.getByText('条目 21', { exact: true })).toBeHidden()
  const numbers = pager.getByRole('button').filter({ hasText: /^\d+$/ })
  await expect(numbers).toHaveCount(7)
  await page.setViewportSize({ width: 900, height: 700 })
  await expect(numbers).toHaveCount(5)
  await page.setViewportSize({ width: 1440, height: 700 })

  await pager.scrollIntoViewIfNeeded()
  const scrolled = () =>
    page.evaluate(() =>
      Math.max(0, ...[...document.querySelectorAll('*')].map(({ scrollTop }) => scrollTop), window.scrollY),
    )
  await expect.poll(scrolled).toBeGreaterThan(100)
  // The specification gives the ride 800 ms: it is seen on its way. The page itself looks, as nobody else may be in time.
  const from = await scrolled()
  const places = await page.evaluateHandle(() => {
    const seen: number[] = []
    document.addEventListener('scroll', ({ target }) => seen.push((target as Element).scrollTop), true)
    return seen
  })
  await numbers.filter({ hasText: /^2$/ }).click()
  await expect.poll(scrolled).toBe(0)
  expect((await places.jsonValue()).some((place) => place > 0 && place < from)).toBe(true)
  await expect(page.getByText('条目 40', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/pageNum=2/)
})
