import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { registerExports } from '#core/spreadsheet/export-job.ts'
import { mergePlaySums } from '../plays/play-sums.ts'
import { storePlays, type TestPlay } from '#test/fixtures/ad-play-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'
import {
  countScreens,
  createSamplePlays,
  formatTestDay,
  sumFigures,
  toLocal,
} from '#test/fixtures/statistics-fixture.ts'

const STAT = '/api/v1/advertise/statistics'
const RANGE = { startDate: '2026-11-16', endDate: '2026-11-29' }
const WEEK = { startDate: '2026-11-17', endDate: '2026-11-23' }
const ALL = ['list', 'query', 'export'].map((action) => `advertiseManage:statisticalAnalysis:${action}`)
type Play = Required<TestPlay>
type Filter = Record<string, string | number>

const app = useApp()
let admin: Caller
let tenant: Caller
let plays: Play[]

const queryOf = (filter: Filter) =>
  new URLSearchParams(
    Object.entries({ ...RANGE, ...filter }).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()
const ask = (name: string, filter: Filter = {}, who = admin) => who.call('GET', `${STAT}/${name}?${queryOf(filter)}`)
async function figures(name: string, filter: Filter = {}, who = admin) {
  const answer = await ask(name, filter, who)
  expect([name, filter, answer.code, answer.msg]).toEqual([name, filter, 200, answer.msg])
  return answer.data
}
const sumOf = (matches: (play: Play) => boolean) => sumFigures(plays.filter(matches))

beforeAll(async () => {
  app.services.now = () => new Date('2026-11-27T04:00:00Z')
  registerExports(app.services)
  admin = await app.by({ superAdmin: true })
  tenant = await app.by({ tenant: '己公司', permissions: ALL })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '己公司'`)
  const tenantId = rows[0]!.id
  await app.db.execute(sql`insert into devices (id, sn, tenant_id, model_id) values
    (1, 'SCR-1', 1, 1), (2, 'SCR-2', 1, 1), (3, 'SCR-3', ${tenantId}, 1)`)
  await app.db.execute(sql`insert into ads (id, tenant_id, ad_name, ad_type, advertiser, contract_no) values
    (1, 1, '咖啡', 1, '春风', 'HT-1'), (2, ${tenantId}, '面包', 1, '春风茶饮', 'HT-2'), (3, 1, '牛奶', 1, '', '')`)
  await app.db.execute(sql`insert into ad_programs (id, tenant_id, program_name, date_from, date_to) values
    (1, 1, '早餐', '2026-11-16', '2026-11-29'), (2, ${tenantId}, '晚餐', '2026-11-16', '2026-11-22')`)
  plays = createSamplePlays(tenantId)
  await storePlays(app.services.database.pool, plays.slice(0, 200))
  await mergePlaySums(app.db)
  await storePlays(app.services.database.pool, plays.slice(200))
})

test('the filters by advertiser and contract number compare the whole text', async () => {
  for (const [filter, adId] of [
    [{ advertiser: '春风' }, 1],
    [{ advertiser: '春风茶饮' }, 2],
    [{ contractNo: 'HT-2' }, 2],
  ] as const) {
    const own = plays.filter((play) => play.adId === adId)
    expect(await figures('summary', filter)).toMatchObject({ ...sumFigures(own), screens: countScreens(own) })
    expect((await figures('detail', filter)).sum).toMatchObject(sumFigures(own))
    const { plays: hours } = await figures('heatmap', filter)
    const { plays: n, untrusted } = sumFigures(own)
    expect(hours.reduce((total: number, each: number) => total + each, 0)).toBe(n - untrusted)
  }
  expect((await figures('summary', { advertiser: '春风', contractNo: 'HT-2' })).plays).toBe(0)
  expect((await figures('summary', { advertiser: '春' })).plays).toBe(0)
})

test('the tables and rankings by advertiser and contract number sum the plays of their ads', async () => {
  for (const [groupBy, by, values, field] of [
    [4, 5, ['春风', '春风茶饮'], 'advertiser'],
    [5, 6, ['HT-1', 'HT-2'], 'contractNo'],
  ] as const) {
    const table = await figures('detail', { groupBy })
    const { list: ranks } = await figures('rank', { by })
    expect(table.total).toBe(3)
    for (const [at, value] of values.entries()) {
      const own = plays.filter(({ adId }) => adId === at + 1)
      const row = table.list.find(({ name }: { name: string }) => name === value)
      expect(row).toMatchObject({ ...sumFigures(own), [field]: value, screens: countScreens(own) })
      const { plays: n, ms } = sumFigures(own)
      expect(ranks.find(({ name }: { name: string }) => name === value)).toMatchObject({ value, plays: n, ms })
    }
    const none = table.list.find((row: Record<string, unknown>) => row[field] === null)
    expect(none).toMatchObject({
      name: expect.stringContaining('未填写'),
      plays: sumOf(({ adId }) => adId === 3).plays,
    })
  }
})

test('the share of an ad is the same with and without a filter of its advertiser or contract', async () => {
  const shares = async (filter: Parameters<typeof figures>[1]) => {
    const { list, sum } = await figures('detail', filter)
    const rows = list.map((row: { programId: number; adId: number; share: number }) => [
      row.programId,
      row.adId,
      row.share,
    ])
    return { rows, sum: sum.share as number }
  }
  const all = await shares({})
  for (const filter of [{ advertiser: '春风茶饮' }, { contractNo: 'HT-2' }]) {
    const { rows, sum } = await shares(filter)
    expect(rows.length).toBeGreaterThan(0)
    expect(all.rows).toEqual(expect.arrayContaining(rows))
    expect(sum).toBeLessThan(100)
  }
})

test('the table of an hour can be grouped by advertiser, but not by screen', async () => {
  const hour = 9
  const { list, sum } = await figures('detail', { groupBy: 4, hour })
  const atHour = (play: Play) => play.clock > 0 && toLocal(play).getUTCHours() === hour
  expect(sum.plays).toBe(sumOf(atHour).plays)
  expect(list.find(({ name }: { name: string }) => name === '春风')).toMatchObject({
    plays: sumOf((play) => atHour(play) && play.adId === 1).plays,
    screens: null,
  })
  expect(await ask('detail', { groupBy: 2, hour })).toMatchObject({ code: 400 })
})

test('past plays of an ad count for its new advertiser, also after the ad is deleted', async () => {
  await app.db.execute(sql`update ads set advertiser = '青禾', deleted_at = now() where id = 1`)
  expect((await figures('summary', { advertiser: '青禾' })).plays).toBe(sumOf(({ adId }) => adId === 1).plays)
  expect((await figures('summary', { advertiser: '春风' })).plays).toBe(0)
  expect((await figures('advertisers', { keyword: '青' })).list).toEqual([{ name: '青禾' }])
  await app.db.execute(sql`update ads set advertiser = '春风', deleted_at = null where id = 1`)
})

test('a tenant sees only the advertisers of its own ads', async () => {
  expect((await figures('advertisers', {}, tenant)).list).toEqual([{ name: '春风茶饮' }])
  expect((await figures('contracts', {}, tenant)).list).toEqual([{ name: 'HT-2' }])
  const { list, sum } = await figures('detail', { groupBy: 4 }, tenant)
  expect(list.map(({ name }: { name: string }) => name).toSorted()).toEqual(
    ['数据范围之外的广告', '春风茶饮'].toSorted(),
  )
  expect(list.reduce((total: number, row: { plays: number }) => total + row.plays, 0)).toBe(sum.plays)
  expect((await figures('summary', { advertiser: '春风' }, tenant)).plays).toBe(0)
  expect((await figures('summary', { advertiser: '春风' })).plays).toBeGreaterThan(0)
})

test('the trend by hour has 24 points a day, which equal the tables of their hours', async () => {
  const { points, untrusted } = await figures('trend', { ...WEEK, interval: 0 })
  expect(points).toHaveLength(7 * 24)
  expect(points.some(({ plays: n }: { plays: number }) => n === 0)).toBe(true)
  const inWeek = (play: Play) => formatTestDay(play) >= WEEK.startDate && formatTestDay(play) <= WEEK.endDate
  expect(untrusted).toBe(sumOf(inWeek).untrusted)
  for (const [at, { from, to, hour, plays: n, failed, ms, screens }] of points.entries()) {
    const own = sumOf((play) => play.clock > 0 && formatTestDay(play) === from && toLocal(play).getUTCHours() === hour)
    expect([at % 24, to, n, failed, ms, screens]).toEqual([hour, from, own.plays, own.failed, own.ms, null])
  }
  const { from, hour, plays: n } = points.find((point: { plays: number }) => point.plays > 1)
  expect((await figures('detail', { startDate: from, endDate: from, hour })).sum.plays).toBe(n)
  expect(await ask('trend', { ...WEEK, endDate: '2026-11-24', interval: 0 })).toMatchObject({
    code: 400,
    msg: '按小时查看时，统计范围不能超过 7 天',
  })
  expect(await ask('trend', { ...WEEK, sn: 'SCR-1', interval: 0 })).toMatchObject({
    code: 400,
    msg: '按小时查看时不能按屏幕、分组或标签筛选',
  })
})

test('the exports contain advertisers and contract numbers', async () => {
  const viewer = await app.as(...ALL)
  const file = await viewer.inject({ method: 'GET', url: `${STAT}/export?format=csv&${queryOf({ groupBy: 4 })}` })
  const lines = file.body.trim().split('\n')
  expect(lines[0]).toMatch(/^\uFEFF?广告主,播放次数,/)
  expect(lines.at(-1)).toContain(`合计,${sumFigures(plays).plays},`)
  await viewer.inject({ method: 'GET', url: `${STAT}/exportPlays?format=csv&${queryOf({ advertiser: '春风' })}` })
  const csv = await readJobFile(viewer)
  const expected = plays.filter(({ adId }) => adId === 1)
  expect(csv).toHaveLength(expected.length + 1)
  expect(csv[1]).toContain(',咖啡,春风,HT-1,')
})

test('a job exports all rows of a table with too many rows for a direct export', async () => {
  const rows = 100_001
  await app.db.execute(sql`
    insert into ad_play_days (day, device_id, program_id, ad_id, tenant_id, plays, complete, partial, failed, ms, untrusted,
      exposure, first_start, last_end)
    select '2026-12-01', 1000 + n, 1, 1, 1, 2, 2, 0, 0, 1000, 0, 200, 0, 0 from generate_series(1, ${rows}) n on conflict do nothing`)
  const viewer = await app.as(...ALL)
  const filter = { groupBy: 1, startDate: '2026-12-01', endDate: '2026-12-01' }
  const started = await viewer.inject({ method: 'GET', url: `${STAT}/export?format=csv&${queryOf(filter)}` })
  expect(started.json()).toMatchObject({ msg: '数据超过100000条，已转为后台导出，完成后可在「我的任务」下载' })
  const csv = await readJobFile(viewer)
  expect(csv).toHaveLength(rows + 2)
  expect(csv[0]).toMatch(/^\uFEFF?屏幕,播放次数,/)
  expect(csv.at(-1)).toContain(`合计,${rows * 2},`)
}, 120_000)

/** Runs the last export job and returns the lines of its file. */
async function readJobFile(viewer: Awaited<ReturnType<typeof app.as>>) {
  await app.services.jobs.drain()
  const { rows } = await app.db.execute<{ state: string; result: { file: { id: string } } }>(
    sql`select state, result from jobs order by job_id desc limit 1`,
  )
  expect(rows[0]).toMatchObject({ state: 'done' })
  const file = await viewer.inject({ method: 'GET', url: `/api/v1/file/${rows[0]!.result.file.id}` })
  return file.body.trim().split('\n')
}
