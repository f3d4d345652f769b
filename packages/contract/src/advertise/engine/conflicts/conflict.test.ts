import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkConflicts } from './conflict.ts'
import { formatDate, parseDay } from '../dates.ts'
import { buildAd, buildItem, buildManifest, buildProgram } from '../manifest-fixture.ts'
import { createManifestArbitrary } from '../vectors/random-manifest-fixture.ts'
import { buildTimeline } from '../timeline.ts'

const part = (start: string, end: string) => ({ dayParts: [{ start, end }] })
const texts = (report: ReturnType<typeof checkConflicts>) => ({
  errors: report.errors.map(({ text }) => text),
  warnings: report.warnings.map(({ text }) => text),
})
const check = (...programs: ReturnType<typeof buildProgram>[]) =>
  texts(checkConflicts(buildManifest(programs), 1, '2026-11-21'))

test('AD-01 a single program has no conflict', () => {
  expect(check(buildProgram(1))).toEqual({ errors: [], warnings: [] })
  expect(checkConflicts(buildManifest([]), 1, '2026-11-21')).toEqual({ errors: [], warnings: [] })
})

test('AD-01 shares with a sum above 100% and overlapping takeovers of equal priority are errors', () => {
  const share = (id: number, percent: number) => buildProgram(id, { share: percent, ...part('08:00', '10:00') })
  expect(check(share(1, 60), share(2, 30), share(3, 20)).errors).toEqual([
    '份额合计超过100%：《节目单1》60%、《节目单2》30%、《节目单3》20%，共 20 小时',
  ])
  expect(check(share(1, 60), share(2, 40)).errors).toEqual([])
  const takeover = (id: number, end: string) => buildProgram(id, { insertMode: 1, ...part('12:00', end) })
  expect(check(takeover(1, '12:30'), takeover(2, '12:15'))).toEqual({
    errors: ['与插播《节目单2》优先级相同，重叠 2.5 小时'],
    warnings: ['因《节目单2》有 2.5 小时不会播放（共 5 小时）'],
  })
})

test('AD-01 takeovers of equal priority that would play at the same time are an error, in both insert modes', () => {
  const takeover = (id: number, insertMode: 1 | 2, fields: object = part('12:00', '13:00')) =>
    buildProgram(id, { insertMode, items: [buildItem(id, { ms: 60_000 })], ...fields })
  const error = (hours: string) => [`与插播《节目单2》优先级相同，重叠 ${hours} 小时`]
  // A program with insert mode `once` would play for one minute on each of the ten days.
  expect(check(takeover(1, 2), takeover(2, 1)).errors).toEqual(error('0.2'))
  expect(check(takeover(1, 1), takeover(2, 2)).errors).toEqual(error('0.2'))
  expect(check(takeover(1, 2), takeover(2, 2)).errors).toEqual(error('0.2'))
  expect(check(takeover(1, 2), takeover(2, 2, part('12:01', '13:00'))).errors).toEqual([])
  expect(check(takeover(1, 2, part('00:00', '24:00')), takeover(2, 1)).errors).toEqual([])
  expect(check(takeover(1, 2), takeover(2, 1, { ...part('12:00', '13:00'), priority: 1 })).errors).toEqual([])
  // The takeover of higher priority delays the program with insert mode `once`, which then overlaps the other takeover.
  const higher = takeover(3, 1, { ...part('12:00', '12:30'), priority: 5 })
  expect(check(takeover(1, 2), takeover(2, 1, part('12:30', '13:00')), higher).errors).toEqual(error('0.2'))
})

test('AD-01 an ad that is not approved, disabled or expires before the last date of the program is an error', () => {
  const items = [1, 2, 3, 4, 5].map((id) => buildItem(id))
  const manifest = buildManifest([buildProgram(1, { items, weekdays: 31 })], {
    ads: [
      buildAd(1, { validTo: '2026-11-29' }),
      // 30 November is a Monday, so that the last due date of weekends is the 29th.
      buildAd(2, { approvalUntil: '2026-11-30' }),
      buildAd(3, { approvalUntil: '2026-11-20' }),
    ],
  })
  const known = {
    ads: [
      { id: 4, name: '新广告', obstacle: 'adNotApproved' },
      { id: 5, name: '旧广告', obstacle: 'adDisabled' },
    ],
  } as const
  expect(texts(checkConflicts(manifest, 1, '2026-11-01', known)).errors).toEqual([
    '广告《广告1》有效期至 2026-11-29，早于节目单的最后投放日期',
    '广告《广告3》的批准文号有效期至 2026-11-20，早于节目单的最后投放日期',
    '广告《新广告》未通过审核',
    '广告《旧广告》已停用',
  ])
  const weekend = { ...manifest, programs: [buildProgram(1, { items: [buildItem(1)], weekdays: 96 })] }
  expect(checkConflicts(weekend, 1, '2026-11-01').errors).toEqual([])
})

test('AD-01 the check warns with the number of hours when a program hides another program or is hidden', () => {
  const draft = buildProgram(1, part('08:00', '12:00'))
  const higher = buildProgram(2, { priority: 3, ...part('06:00', '14:00') })
  expect(check(draft, higher).warnings).toEqual(['因《节目单2》在全部 40 小时内不会播放'])
  expect(check(draft, { ...higher, ...part('11:30', '14:00') }).warnings).toEqual([
    '因《节目单2》有 5 小时不会播放（共 40 小时）',
  ])
  const halves = [
    buildProgram(2, { priority: 3, ...part('08:00', '10:00') }),
    buildProgram(3, { priority: 3, ...part('10:00', '12:00') }),
  ]
  expect(check(draft, ...halves).warnings[0]).toBe('在全部 40 小时内不会播放')
  expect(check({ ...draft, priority: 5 }, higher).warnings).toEqual(['将使《节目单2》有 40 小时不会播放'])
  expect(check(buildProgram(1), buildProgram(2, { share: 100 })).warnings).toEqual([
    '因《节目单2》在全部 240 小时内不会播放',
  ])
})

test('AD-01 the check warns of programs with equal priority and of items longer than their daypart', () => {
  const draft = buildProgram(1, { ...part('12:00', '12:01'), items: [buildItem(10, { ms: 61_000 })] })
  expect(check(draft, buildProgram(2)).warnings).toEqual([
    '与《节目单2》优先级相同，有 0.2 小时平分播放时间',
    '广告《广告10》比时段 12:00–12:01 长，在该时段不会播放',
  ])
  const block = buildProgram(1, {
    ...part('23:59', '00:00'),
    playMode: 2,
    items: [buildItem(10, { ms: 40_000 }), buildItem(11, { ms: 21_000 })],
  })
  expect(check(block).warnings).toHaveLength(2)
})

test('AD-01 the played hours and the hidden hours of a program add up to its scheduled hours', () => {
  const property = ({ manifest, date }: { manifest: Parameters<typeof checkConflicts>[0]; date: string }) => {
    const from = parseDay(date) - 3
    for (const { id } of manifest.programs) {
      const { errors, warnings } = checkConflicts(manifest, id, formatDate(from))
      const hidden = warnings.filter(({ code, by }) => code === 'partlyHidden' || (code === 'neverSeen' && by))
      const [dueMs] = [...errors, ...warnings]
        .filter((conflict) => conflict.dueMs > 0)
        .map((conflict) => conflict.dueMs)
      if (dueMs === undefined) continue
      const timeline = buildTimeline({ ...manifest })
      let played = 0
      for (let day = from; day < from + 10; day += 1)
        for (const { start, end, choice } of timeline.spansOn(day))
          if (choice.streams.some(({ program }) => program.id === id)) played += end - start
      expect(played + hidden.reduce((sum, { ms }) => sum + ms, 0)).toBe(dueMs)
    }
  }
  fc.assert(fc.property(createManifestArbitrary([0, 0, 0, 1, 2], 6), property), { numRuns: 100 })
}, 60_000)
