import { expect, test } from 'vitest'
import type { KnownObstacles } from './because.ts'
import type { Manifest } from '../manifest.ts'
import { buildAd, buildItem, buildManifest, buildProgram, parseShanghaiTime } from '../manifest-fixture.ts'
import { findPlayingAt } from '../playing.ts'
import type { ScreenState } from '../program.ts'

const reasons = (manifest: Manifest, text: string, state?: ScreenState, known?: KnownObstacles) =>
  Object.fromEntries(
    findPlayingAt(manifest, parseShanghaiTime(text), state, known).because.map(({ name, text: reason }) => [
      name,
      reason,
    ]),
  )
const noon = '2026-11-05 12:00'

test('AD-01 the explanation names the first reason why each program plays or does not play', () => {
  const manifest = buildManifest([
    buildProgram(1, { name: '午餐', priority: 5 }),
    buildProgram(2, { name: '早餐', dayParts: [{ start: '06:30', end: '10:00' }] }),
    buildProgram(3, { name: '周末', weekdays: 96 }),
    buildProgram(4, { name: '十二月', dateFrom: '2026-12-01', dateTo: '2026-12-31' }),
    buildProgram(5, { name: '日常', priority: 4 }),
    buildProgram(6, { name: '份额', share: 20, priority: 5 }),
    buildProgram(7, { name: '低份额', share: 20 }),
    buildProgram(8, { name: '默认', fallback: 1 }),
  ])
  const known = {
    programs: [
      { id: 20, name: '草稿', obstacle: 'unpublished' },
      { id: 21, name: '停播', obstacle: 'paused' },
    ],
  } as const
  expect(reasons(manifest, noon, undefined, known)).toEqual({
    午餐: '正在播放',
    早餐: '不在时段',
    周末: '不在星期',
    十二月: '不在投放日期',
    日常: '优先级低于《午餐》',
    份额: '轮播中',
    低份额: '优先级低于《午餐》',
    默认: '优先级低于《午餐》',
    草稿: '未发布',
    停播: '已暂停',
  })
})

test('AD-01 the explanation names the takeover that interrupts the other programs', () => {
  const manifest = buildManifest([
    buildProgram(1, { name: '日常' }),
    buildProgram(2, { name: '紧急', insertMode: 1, priority: 3 }),
    buildProgram(3, { name: '次要', insertMode: 1, priority: 2 }),
    buildProgram(4, { name: '$&', share: 30 }),
  ])
  expect(reasons(manifest, noon)).toEqual({
    日常: '被插播《紧急》占用',
    紧急: '正在播放',
    次要: '被插播《紧急》占用',
    '$&': '被插播《紧急》占用',
  })
})

test('AD-01 the explanation names the programs whose shares leave no time for a program without a share', () => {
  const manifest = buildManifest([buildProgram(1, { name: '日常' }), buildProgram(2, { name: '包段', share: 100 })])
  expect(reasons(manifest, noon)).toEqual({ 日常: '份额已被《包段》占满', 包段: '正在播放' })
})

test('AD-01 the explanation names the reason of the ad that is closest to playing', () => {
  const withAd = (id: number, name: string, ads: number[]) =>
    buildProgram(id, { name, items: ads.map((ad) => buildItem(ad)) })
  const manifest = buildManifest(
    [
      withAd(1, '未审', [1]),
      withAd(2, '停用', [2]),
      withAd(3, '过期', [3, 1]),
      withAd(4, '批文', [4]),
      withAd(5, '未到', [5]),
      withAd(6, '下载', [6, 3]),
      withAd(7, '编码', [7, 6]),
    ],
    {
      ads: [
        buildAd(3, { validTo: '2026-11-04' }),
        buildAd(4, { approvalUntil: '2026-11-04' }),
        buildAd(5, { validFrom: '2026-11-06' }),
        buildAd(6),
        buildAd(7),
      ],
    },
  )
  const known = {
    ads: [
      { id: 1, obstacle: 'adNotApproved' },
      { id: 2, obstacle: 'adDisabled' },
    ],
  } as const
  expect(reasons(manifest, noon, { filesNotReady: [6], codecsUnsupported: [7] }, known)).toEqual({
    未审: '广告未通过审核',
    停用: '广告已停用',
    过期: '广告已过期',
    批文: '广告已过期',
    未到: '不在投放日期',
    下载: '文件未就绪',
    编码: '屏幕不支持该编码',
  })
})

test('AD-01 the explanation names the hourly limit of a program whose items have reached it', () => {
  const capped = buildProgram(1, { name: '限次', items: [buildItem(1, { maxPlaysPerHour: 6 })] })
  const manifest = buildManifest([capped, buildProgram(2, { name: '日常' })])
  expect(reasons(manifest, '2026-11-05 00:05')).toEqual({ 限次: '达到每小时上限', 日常: '正在播放' })
  expect(reasons(buildManifest([capped]), '2026-11-05 00:05')).toEqual({ 限次: '达到每小时上限' })
})

test('AD-01 a program that plays once per window counts as outside its daypart after its play', () => {
  const once = buildProgram(2, { name: '整点', insertMode: 2, dayParts: [{ start: '12:00', end: '13:00' }] })
  const manifest = buildManifest([buildProgram(1, { name: '日常' }), once])
  expect(reasons(manifest, '2026-11-05 12:00')).toEqual({ 日常: '被插播《整点》占用', 整点: '正在播放' })
  expect(reasons(manifest, '2026-11-05 12:01')).toEqual({ 日常: '正在播放', 整点: '不在时段' })
})
