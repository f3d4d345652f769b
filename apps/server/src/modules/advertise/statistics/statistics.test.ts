import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { registerExports } from '#core/spreadsheet/export-job.ts'
import { mergePlaySums } from '../plays/play-sums.ts'
import { storePlays, type TestPlay } from '#test/fixtures/ad-play-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'
import {
  formatTestDay,
  FILTER_CASES,
  toLocal,
  computePercent,
  createSamplePlays,
  countScreens,
  sumValues,
  sumFigures,
  type PlayFilterCase,
} from '#test/fixtures/statistics-fixture.ts'

const STAT = '/api/v1/advertise/statistics'
const RANGE = { startDate: '2026-11-16', endDate: '2026-11-29' }
const ALL = ['list', 'query', 'export'].map((action) => `advertiseManage:statisticalAnalysis:${action}`)
const app = useApp()
let admin: Caller
let tenant: Caller
let tenantId: number
let plays: Required<TestPlay>[]

const queryOf = (filter: PlayFilterCase) =>
  new URLSearchParams(
    Object.entries(filter).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, String(value)]],
    ),
  ).toString()
const ask = (name: string, filter: PlayFilterCase = {}, who: Caller = admin) =>
  who.call('GET', `${STAT}/${name}?${queryOf({ ...RANGE, ...filter })}`)
const figures = async (name: string, filter: PlayFilterCase = {}, who: Caller = admin) => {
  const answer = await ask(name, filter, who)
  expect([name, filter, answer.code, answer.msg]).toEqual([name, filter, 200, answer.msg])
  return answer.data
}

beforeAll(async () => {
  app.services.now = () => new Date('2026-11-25T04:00:00Z')
  registerExports(app.services)
  admin = await app.by({ superAdmin: true })
  tenant = await app.by({ tenant: '戊公司', permissions: ALL })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '戊公司'`)
  tenantId = rows[0]!.id
  await app.db.execute(sql`insert into devices (id, sn, tenant_id, model_id, tags) values
    (1, 'SCR-1', 1, 1, '{lobby,big}'), (2, 'SCR-2', 1, 1, '{lobby}'), (3, 'SCR-3', ${tenantId}, 1, '{}'), (4, 'SCR-4', 1, 1, '{}')`)
  await app.db.execute(sql`insert into ad_screens (device_id, tenant_id, player_kind, audience_factor) values
    (1, 1, 1, 2.5), (2, 1, 1, 1), (3, ${tenantId}, 1, 1), (4, 1, 1, 1)`)
  await app.db.execute(sql`insert into device_groups (id, tenant_id, group_name, kind, rule) values
    (1, 1, '门店', 1, null), (2, 1, '大屏', 2, '{"tags":["big"]}')`)
  await app.db.execute(sql`insert into device_group_members (group_id, device_id) values (1, 1), (1, 2)`)
  await app.db.execute(
    sql`insert into ads (id, tenant_id, ad_name, ad_type) values (1, 1, '咖啡', 1), (2, 1, '面包', 1), (3, 1, '牛奶', 1)`,
  )
  await app.db.execute(sql`insert into ad_programs (id, tenant_id, program_name, date_from, date_to, create_by) values
    (1, 1, '早餐', '2026-11-16', '2026-11-29', null), (2, ${tenantId}, '晚餐', '2026-11-16', '2026-11-22', null)`)
  plays = createSamplePlays(tenantId)
  // One half is merged, the other half is not.
  await storePlays(app.services.database.pool, plays.slice(0, 200))
  await mergePlaySums(app.db)
  await storePlays(app.services.database.pool, plays.slice(200))
})

describe('AD-11 figures equal the reports', () => {
  test.each(FILTER_CASES)('the figures with %s equal the sums of the reports', async (_name, filter, matches) => {
    const list = plays.filter(
      (play) => matches(play) && formatTestDay(play) >= RANGE.startDate && formatTestDay(play) <= RANGE.endDate,
    )
    const expected = sumFigures(list)
    const now = await figures('summary', filter)
    expect(now).toMatchObject({
      ...expected,
      screens: countScreens(list),
      completeRate: computePercent(expected.complete, expected.plays - expected.untrusted),
      exposure: Math.round(
        sumValues(
          [1, 2, 3].map((deviceId) => ({ deviceId }) as never),
          ({ deviceId }) =>
            sumFigures(list.filter((play) => play.deviceId === deviceId)).plays * (deviceId === 1 ? 2.5 : 1),
        ),
      ),
    })
    const { points } = await figures('trend', filter)
    for (const { from, to, plays: n } of points) {
      expect(from).toBe(to)
      expect([from, n]).toEqual([from, sumFigures(list.filter((play) => formatTestDay(play) === from)).plays])
    }
    for (const interval of [2, 3]) {
      const longer = (await figures('trend', { ...filter, interval })).points as {
        from: string
        to: string
        plays: number
      }[]
      for (const { from, to, plays: n } of longer)
        expect(n).toBe(
          sumFigures(list.filter((play) => formatTestDay(play) >= from && formatTestDay(play) <= to)).plays,
        )
      expect(longer.reduce((total, point) => total + point.plays, 0)).toBe(expected.plays)
    }
    const ranks = { 1: 'adId', 2: 'programId', 3: 'deviceId', 4: 'tenantId' } as const
    for (const [by, field] of Object.entries(ranks))
      for (const { id, plays: n, ms } of (await figures('rank', { ...filter, by })).list) {
        const one = sumFigures(list.filter((play) => play[field] === id))
        expect([by, id, n, ms]).toEqual([by, id, one.plays, one.ms])
      }
    const table = await figures('detail', { ...filter, pageSize: 200 })
    expect(table.sum).toMatchObject({ ...expected, screens: countScreens(list) })
    expect(table.list.length).toBe(table.total)
    for (const row of table.list) {
      const own = list.filter(({ programId, adId }) => programId === row.programId && adId === row.adId)
      const onScreens = new Set(own.map(({ deviceId }) => deviceId))
      const all = plays.filter(
        (play) =>
          onScreens.has(play.deviceId) &&
          formatTestDay(play) >= (filter.startDate ?? RANGE.startDate) &&
          formatTestDay(play) <= (filter.endDate ?? RANGE.endDate),
      )
      expect(row).toMatchObject({
        ...sumFigures(own),
        screens: countScreens(own),
        share: computePercent(sumFigures(own).ms, sumFigures(all).ms),
      })
    }
  })

  test('the tables by screen, group and tag count every screen once in their totals', async () => {
    const all = sumFigures(plays)
    const bySn = (await figures('detail', { groupBy: 1 })).list as { sn: string; plays: number; share: number }[]
    expect(bySn.map(({ sn }) => sn).toSorted()).toEqual(['SCR-1', 'SCR-2', 'SCR-3'])
    expect(bySn.every(({ share }) => share === 100)).toBe(true)
    const groups = await figures('detail', { groupBy: 2, orderByColumn: 'plays', isAsc: 'desc' })
    const of = (...devices: number[]) => sumFigures(plays.filter(({ deviceId }) => devices.includes(deviceId)))
    expect(
      groups.list.map(({ name, plays: n, screens }: { name: string; plays: number; screens: number }) => [
        name,
        n,
        screens,
      ]),
    ).toEqual([
      ['门店', of(1, 2).plays, 2],
      ['大屏', of(1).plays, 1],
    ])
    expect(groups.sum).toMatchObject({ plays: all.plays, screens: 3 })
    const tags = await figures('detail', { groupBy: 3 })
    expect(tags.list.map(({ tag, plays: n }: { tag: string; plays: number }) => [tag, n])).toEqual([
      ['lobby', of(1, 2).plays],
      ['big', of(1).plays],
    ])
    expect(await figures('detail', { groupBy: 1, pageSize: 1, pageNum: 2 })).toMatchObject({ total: 3, list: [{}] })
  })

  test('the heat map counts plays with a trusted clock by hour and equals the table by hour', async () => {
    const { plays: hours, untrusted } = await figures('heatmap')
    const trusted = plays.filter(({ clock }) => clock > 0)
    const expected = Array.from(
      { length: 168 },
      (_, at) =>
        sumFigures(
          trusted.filter((play) => ((toLocal(play).getUTCDay() + 6) % 7) * 24 + toLocal(play).getUTCHours() === at),
        ).plays,
    )
    expect(hours).toEqual(expected)
    expect(untrusted).toBe(sumFigures(plays).untrusted)
    const at = hours.findIndex((n: number) => n > 1)
    const table = await figures('detail', { weekday: Math.floor(at / 24) + 1, hour: at % 24 })
    expect(table.sum).toMatchObject({ plays: hours[at], screens: null, untrusted: 0 })
    expect(table.list.reduce((total: number, row: { plays: number }) => total + row.plays, 0)).toBe(hours[at])
    expect((await figures('heatmap', { sn: 'SCR-1' })).plays).toBeNull()
    expect(await ask('detail', { weekday: 1, sn: 'SCR-1' })).toMatchObject({
      code: 400,
      msg: '按时段查看时不能按屏幕、分组或标签统计',
    })
    expect(await ask('detail', { hour: 7, groupBy: 1 })).toMatchObject({ code: 400 })
  })

  test('merging the play sums changes no figure', async () => {
    const read = () => Promise.all(['summary', 'trend', 'heatmap', 'rank', 'detail'].map((name) => figures(name)))
    const before = await read()
    await mergePlaySums(app.db)
    expect(await read()).toEqual(before)
  })

  test('the delivery rate divides screens with plays by the screens of the program, or else by all paired screens', async () => {
    expect(await figures('summary')).toMatchObject({ screens: 3, allScreens: 4, deliveryRate: 75 })
    await app.db.execute(sql`insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, screens, publish_by)
      values (1, 1, 1, '{"dateFrom":"2026-11-16","dateTo":"2026-11-29","weekdays":31}', 1, '{}', 2, 6, 1)`)
    expect(await figures('summary', { programId: 1 })).toMatchObject({ screens: 3, allScreens: 6, deliveryRate: 50 })
    // A version that was withdrawn before its approval does not count.
    await app.db.execute(sql`insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, screens, publish_by)
      values (1, 2, 1, '{"dateFrom":"2026-11-16","dateTo":"9999-12-31","weekdays":31}', 1, '{}', 5, 99, 1)`)
    expect(await figures('summary', { programId: 1 })).toMatchObject({ allScreens: 6 })
  })
})

describe('AD-14 statistics calls', () => {
  test('accounts see plays of their tenant, and accounts with scope 仅本人 plays of their own programs', async () => {
    const own = sumFigures(plays.filter(({ deviceId }) => deviceId === 3))
    expect(await figures('summary', {}, tenant)).toMatchObject({ ...own, screens: 1, allScreens: 1, deliveryRate: 100 })
    expect((await figures('detail', { groupBy: 1 }, tenant)).list).toMatchObject([{ sn: 'SCR-3' }])
    expect((await figures('summary', { tenantId: 1 }, tenant)).plays).toBe(0)
    expect((await figures('summary', { sn: 'SCR-1' }, tenant)).plays).toBe(0)
    expect((await figures('heatmap', {}, tenant)).plays.reduce((a: number, b: number) => a + b, 0)).toBe(
      own.plays - own.untrusted,
    )
    expect((await figures('programs', {}, tenant)).list).toMatchObject([{ id: 2 }])
    const maker = await app.by({ permissions: ALL, dataScope: 4 })
    expect((await figures('summary', {}, maker)).plays).toBe(0)
    await app.db.execute(sql`update ad_programs set create_by = ${maker.uid} where id = 1`)
    expect((await figures('summary', {}, maker)).plays).toBe(
      sumFigures(plays.filter((play) => play.programId === 1 && play.tenantId === 1)).plays,
    )
  })

  test('AD-11 deleting an ad, a program or a device changes no figure and marks the name as deleted', async () => {
    const before = await figures('summary')
    await app.db.execute(sql`update ads set deleted_at = now() where id = 1`)
    await app.db.execute(sql`update ad_programs set deleted_at = now() where id = 1`)
    await app.db.execute(sql`update devices set deleted_at = now() where id = 1`)
    const after = await figures('summary')
    for (const key of ['plays', 'complete', 'partial', 'failed', 'ms', 'untrusted', 'screens'])
      expect(after[key]).toBe(before[key])
    expect((await figures('rank', { by: 1 })).list.map(({ name }: { name: string }) => name)).toContain(
      '咖啡（已删除）',
    )
    const { list } = await figures('detail', { pageSize: 200 })
    expect(
      list.some(
        ({ name, detail }: { name: string; detail: string }) =>
          name === '早餐（已删除）' && detail === '咖啡（已删除）',
      ),
    ).toBe(true)
    expect((await figures('detail', { groupBy: 1 })).list.map(({ name }: { name: string }) => name)).toContain(
      'SCR-1（已删除）',
    )
    expect((await figures('summary', { sn: 'SCR-1' })).plays).toBe(
      sumFigures(plays.filter(({ deviceId }) => deviceId === 1)).plays,
    )
    expect((await figures('ads')).list.at(-1)).toMatchObject({ name: '咖啡（已删除）' })
  })

  test('the table is exported with totals, and single plays are exported by a job', async () => {
    const viewer = await app.as(...ALL)
    const file = await viewer.inject({ method: 'GET', url: `${STAT}/export?format=csv&${queryOf(RANGE)}` })
    const lines = file.body.trim().split('\n')
    expect(lines[0]).toContain('预计曝光（估算）')
    expect(lines.at(-1)).toContain(`合计,,${sumFigures(plays).plays}`)
    const started = await viewer.inject({
      method: 'GET',
      url: `${STAT}/exportPlays?format=csv&${queryOf({ ...RANGE, programId: 1 })}`,
    })
    const { jobId } = started.json().data
    await app.services.jobs.drain()
    const { rows } = await app.db.execute<{ state: string; result: { rows: number; file: { id: string } } }>(
      sql`select state, result from jobs where job_id = ${jobId}`,
    )
    const expected = plays.filter(({ programId }) => programId === 1)
    expect(rows[0]).toMatchObject({ state: 'done', result: { rows: expected.length } })
    const url = `/api/v1/file/${rows[0]!.result.file.id}`
    const csv = (await viewer.inject({ method: 'GET', url })).body.trim().split('\n')
    expect(csv).toHaveLength(expected.length + 1)
    expect(csv[0]).toContain('播放编号')
    for (const { reportId } of expected) expect(csv.filter((text) => text.includes(reportId))).toHaveLength(1)
  })

  test('ranges longer than 366 days and accounts without the permission are refused', async () => {
    const viewer = await app.as('advertiseManage:statisticalAnalysis:list')
    expect(await ask('trend', { startDate: '2026-01-01', endDate: '2027-01-02' }, viewer)).toMatchObject({
      code: 400,
      msg: '统计范围不能超过 366 天',
    })
    expect(await ask('summary', { startDate: '2026-12-01', endDate: '2026-11-01' }, viewer)).toMatchObject({
      code: 400,
    })
    expect(await ask('detail', {}, viewer)).toMatchObject({ code: 501 })
    expect(await ask('summary', {}, await app.as())).toMatchObject({ code: 501 })
  })
})
