import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import pg from 'pg'
import { DATA_DIR_NOTE } from '../support/database.ts'
import { expect, test } from '../support/fixtures.ts'

const PAGE = '/advertiseManage/statisticalAnalysis'
/** Ids that no other journey uses. */
const ID = 8_800_000
const [COFFEE, BREAD] = ['咖啡第二杯半价', '晨光面包']
const ADVERTISER = '山间咖啡馆'

/** Stores sums of plays in the form of the merge job, for ten days and two ads on two screens. */
async function insertPlays() {
  const client = new pg.Client({ host: join(readFileSync(DATA_DIR_NOTE, 'utf8'), 'run'), user: 'oms', database: 'oms' })
  await client.connect()
  await client.query(`
    insert into ads (id, tenant_id, ad_name, ad_type, advertiser, contract_no) values
      (${ID}, 1, '${COFFEE}', 1, '${ADVERTISER}', 'HT-${ID}'), (${ID + 1}, 1, '${BREAD}', 1, '', '') on conflict do nothing;
    insert into ad_programs (id, tenant_id, program_name, date_from, date_to)
      values (${ID}, 1, '早餐统计', current_date - 10, current_date + 10) on conflict do nothing;
    insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, screens, publish_by)
      select ${ID}, 1, 1, jsonb_build_object('dateFrom', date_from, 'dateTo', date_to, 'weekdays', 127, 'items', '[]'::jsonb,
        'dayParts', '[]'::jsonb), 1, '{}', 3, 4, 1 from ad_programs where id = ${ID} on conflict do nothing;
    insert into ad_names (kind, id, name, deleted) values (3, ${ID}, 'STAT-1', 0), (3, ${ID + 1}, 'STAT-2', 1) on conflict do nothing;
    insert into ad_play_days (day, device_id, program_id, ad_id, tenant_id, plays, complete, partial, failed, ms, untrusted,
        exposure, first_start, last_end)
      select current_date - d, ${ID} + s, ${ID}, ${ID} + a, 1, 50, 49, 1, 2, 750000, case when d = 3 and a = 0 and s = 0 then 32 else 0 end, 5000,
        extract(epoch from current_date - d) * 1000, extract(epoch from current_date - d) * 1000 + 3600000
      from generate_series(1, 10) d, generate_series(0, 1) s, generate_series(0, 1) a on conflict do nothing;
    insert into ad_play_hours (hour, tenant_id, program_id, ad_id, model_id, plays, complete, partial, failed, ms, untrusted)
      select extract(epoch from current_date - d + interval '1 hour') * 1000, 1, ${ID}, ${ID} + a, 1, 100, 98, 2, 4, 1500000, 0
      from generate_series(1, 10) d, generate_series(0, 1) a on conflict do nothing;
    insert into ad_rejects (day, device_id, tenant_id, reason, n) values (current_date - 1, ${ID}, 1, 'overlap', 3) on conflict do nothing`)
  await client.end()
}

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** Opens the values of a chart as a table and returns the links of its marks. */
async function marksOf(page: Page, name: string) {
  await panel(page, name).getByRole('button', { name: '看表格' }).click()
  return panel(page, name).getByRole('table').getByRole('link')
}
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test.beforeAll(insertPlays)

test('AD-14 cards and charts count the plays; a click on a chart opens the filtered table, and going back restores the filter', async ({
  page,
  login,
  accessible,
}) => {
  await login()
  await page.goto(`${PAGE}?sn=STAT-1`)
  await expect(page.getByText('另有 3 条上报未通过核对')).toBeVisible()
  await page.goto(`${PAGE}?programId=${ID}`)
  await expect(page.getByRole('link', { name: /播放次数.*2,032.*含 32 次未校时播放，未计入时段分析/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /送达率.*50\.00%.*2 \/ 4 块屏幕/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /完整率.*98\.00%/ })).toBeVisible()
  await accessible()

  const days = await marksOf(page, '播放趋势')
  await days.first().click()
  await expect(page).toHaveURL(/view=detail/)
  await expect(rowOf(page, '合计')).toContainText('200')
  await expect(page).toHaveURL(new RegExp(`programId=${ID}`))
  await page.goBack()
  await expect(page.getByRole('link', { name: /播放次数.*2,032/ })).toBeVisible()
  await page.goForward()
  await expect(rowOf(page, '合计')).toContainText('200')
  await page.goBack()

  const hours = await marksOf(page, '播放时段')
  await hours.first().click()
  await expect(page.getByRole('status').filter({ hasText: '时段：' })).toContainText('09:00–10:00')
  await expect(page).toHaveURL(/weekday=\d&hour=9/)
  await page.getByRole('button', { name: '清除时段' }).click()
  await expect(rowOf(page, '合计')).toContainText('2,032')
  await page.goBack()
  await page.goBack()

  const ads = await marksOf(page, '广告前 10')
  await ads.first().click()
  await expect(page).toHaveURL(new RegExp(`adId=${ID}`))
  await expect(rowOf(page, COFFEE)).toContainText('1,032')
  await expect(rowOf(page, BREAD)).toHaveCount(0)
})

test('AD-14 the table groups plays by screen, also of deleted screens, and is exported', async ({
  page,
  login,
  accessible,
}) => {
  await login()
  await page.goto(`${PAGE}?programId=${ID}&view=detail`)
  await expect(rowOf(page, COFFEE)).toContainText('1,032')
  await expect(page.getByText('分组方式', { exact: true })).toBeVisible()
  await page.getByRole('radiogroup', { name: '分组方式' }).getByText('屏幕').click()
  await expect(page).toHaveURL(/groupBy=1/)
  await expect(rowOf(page, 'STAT-2（已删除）')).toContainText('1,000')
  await expect(rowOf(page, '合计')).toContainText('2,032')
  await accessible()
  await page.getByRole('button', { name: /导出$/ }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV（.csv）' }).click(),
  ])
  const text = readFileSync(await file.path(), 'utf8')
  expect(text).toContain('STAT-2（已删除）')
  expect(text).toContain('合计,2032')
})

test('AD-14 the trend by hour opens the table of its hour, and an advertiser has its own figures', async ({
  page,
  login,
  accessible,
}) => {
  await login()
  await page.goto(`${PAGE}?programId=${ID}`)
  const intervals = page.getByRole('radiogroup', { name: '统计粒度' })
  await expect(intervals.getByRole('radio', { name: '按小时' })).toBeDisabled()
  await expect(panel(page, '播放趋势')).toContainText('统计日期在 7 天以内时可按小时查看')
  const day = new Date(Date.now() + 8 * 3_600_000 - 2 * 86_400_000).toISOString().slice(0, 10)
  await page.goto(`${PAGE}?programId=${ID}&startDate=${day}&endDate=${day}`)
  await intervals.getByText('按小时').click()
  await expect(page).toHaveURL(/interval=0/)
  const hours = await marksOf(page, '播放趋势')
  await expect(panel(page, '播放趋势').getByRole('row')).toHaveCount(24 + 1)
  await hours.first().click()
  await expect(page.getByRole('status').filter({ hasText: '时段：' })).toContainText(`${day} 09:00–10:00`)
  await expect(rowOf(page, '合计')).toContainText('200')
  await page.getByRole('radiogroup', { name: '分组方式' }).getByText('广告主').click()
  await expect(page).toHaveURL(/hour=9/)
  await expect(rowOf(page, ADVERTISER)).toContainText('100')
  await expect(rowOf(page, '未填写广告主')).toContainText('100')
  await accessible()
  await page.getByRole('button', { name: '清除时段' }).click()
  await page.getByRole('radiogroup', { name: '分组方式' }).getByText('合同编号').click()
  await rowOf(page, `HT-${ID}`).getByRole('link').click()
  await expect(page).toHaveURL(new RegExp(`contractNo=HT-${ID}`))
  await expect(rowOf(page, COFFEE)).toBeVisible()
  await expect(rowOf(page, BREAD)).toHaveCount(0)
})

test('AD-14 statistics without plays show a hint, and statistics that fail to load have a retry button', async ({
  page,
  login,
}) => {
  await login()
  await page.goto(`${PAGE}?sn=NO-SUCH-SCREEN`)
  await expect(panel(page, '播放趋势')).toContainText('这段时间没有播放记录')
  await expect(panel(page, '播放时段')).toContainText('时段数据不区分屏幕，请清除屏幕、分组和标签后查看')
  await page.getByRole('tab', { name: '明细' }).click()
  await expect(page.getByText('没有符合条件的数据')).toBeVisible()
  let isBroken = true
  await page.route('**/statistics/trend**', (route) => (isBroken ? route.abort() : route.continue()))
  await page.goto(`${PAGE}?programId=${ID}`)
  const retry = panel(page, '播放趋势').getByRole('button', { name: /重试/ })
  await expect(retry).toBeVisible()
  isBroken = false
  // News of other plays may load the statistics again before the press.
  await retry.click({ timeout: 5000 }).catch(() => {})
  await expect(panel(page, '播放趋势').getByRole('button', { name: '看表格' })).toBeVisible()
})
