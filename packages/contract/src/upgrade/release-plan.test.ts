import { expect, test } from 'vitest'
import {
  formatClock,
  formatDailyWindow,
  describeLimits,
  extractRolloutLimits,
  describePlanFields,
  describePlan,
  formatRolloutPercentage,
  formatMinuteDuration,
  describeStageSize,
} from './release-plan.ts'

const plan = { mode: 2, percent: 10_000, stages: [], tenants: [], groups: [] }
const quiet = { needsAudit: false }
const stage = (percent: number) => ({
  percent,
  successPercent: 95,
  errorPercent: 5,
  minReports: 20,
  minMinutes: 90,
  maxMinutes: 1440,
})

test('the description of a release plan states its effect in sentences', () => {
  expect(describePlan({ ...plan, mode: 1 }, quiet)).toEqual(['只有白名单中的设备会收到该版本，其他设备不受影响。'])
  expect(describePlan(plan, quiet)).toEqual(['所有客户的适用设备全部收到该版本；白名单设备始终可以收到。'])
  const limits = { perMinute: 50, maxDownloads: 20, bandwidth: 8 }
  expect(describePlan({ ...plan, mode: 1, ...limits }, quiet)[1]).toBe(
    '每分钟最多下发 50 台，最多 20 台同时下载，每个服务进程的下载总带宽不超过 8 MB/s。',
  )
  expect(describeLimits({ perMinute: null, maxDownloads: null, bandwidth: 8 })).toMatch(/^已设限制：每个服务进程/)
  expect(describeLimits({ perMinute: null, maxDownloads: null, bandwidth: null })).toBe('')
  const full = {
    ...plan,
    stages: [stage(100), stage(10_000)],
    tenants: ['甲', '乙'],
    groups: ['试点'],
    dailyStart: 1380,
    dailyEnd: 300,
  }
  expect(describePlan({ ...full, startTime: '2030-01-01 00:00:00', autoRetries: 2 }, { needsAudit: true })).toEqual([
    '「甲」「乙」的属于分组「试点」的适用设备按 1% → 100% 分 2 个阶段收到该版本；白名单设备始终可以收到。',
    '每阶段至少 20 个结果、观察 1 小时 30 分钟，成功率达到 95% 自动进入下一阶段；失败率达到 5% 自动暂停并通知相关人员。结果不够时，设备都有结果或等满 1 天，即按已有结果评判，没有结果则暂停。',
    '2030-01-01 00:00:00 开始，每日 23:00～次日 05:00 下发。',
    '失败后自动重试 2 次。',
    '提交后由另一人审批，通过前按测试发布进行。',
  ])
})

test('percentages, clock times and durations of a release plan are formatted', () => {
  expect([formatRolloutPercentage(1250), formatClock(90), formatMinuteDuration(1530), formatMinuteDuration(0)]).toEqual(
    ['12.5%', '01:30', '1 天 1 小时 30 分钟', '0 分钟'],
  )
})

test('the description of a stage names its number of devices, also for few or no devices', () => {
  expect([undefined, 0, 8, 36].map((count) => describeStageSize(count, 20))).toEqual([
    '',
    '没有设备，满最短观察时间后自动进入下一阶段',
    '约 8 台设备，少于最少结果数，全部设备有结果后即评判',
    '约 36 台设备',
  ])
})

test('extractRolloutLimits returns every limit, with the given value for a missing limit', () => {
  const set = { startTime: '2030-01-01 00:00:00', dailyStart: 0, perMinute: 50, maxDownloads: null, other: 1 }
  const rest = { startTime: set.startTime, dailyStart: 0, perMinute: 50 }
  const names = ['endTime', 'dailyEnd', 'maxDownloads', 'bandwidth']
  expect(extractRolloutLimits(set, null)).toStrictEqual({
    ...rest,
    ...Object.fromEntries(names.map((name) => [name, null])),
  })
  expect(extractRolloutLimits(set, undefined)).toStrictEqual({
    ...rest,
    ...Object.fromEntries(names.map((name) => [name, undefined])),
  })
})

test('the daily window of a release is formatted, also when it ends after midnight', () => {
  expect([formatDailyWindow(0, 90), formatDailyWindow(1380, 300), formatDailyWindow(null, 300)]).toEqual([
    '00:00～01:30',
    '23:00～次日 05:00',
    '',
  ])
})

test('the fields of a release plan are formatted for a list of changes', () => {
  const fields = describePlanFields({ mode: 2, percent: 1250, dailyStart: 90, dailyEnd: null, needConfirm: true }, [
    stage(100),
  ])
  expect(fields).toEqual({
    mode: '正式发布',
    percent: '12.5%',
    dailyStart: '01:30',
    dailyEnd: null,
    needConfirm: true,
    stages: ['1%（失败达 5% 暂停，至少观察 1 小时 30 分钟）'],
  })
})
