import { FULL_ROLLOUT, RELEASE_MODE } from './task-state.ts'

/** Settings of a release that may be absent: null in rows and forms, undefined in the input of calls. */
export interface PlanLimits<Absent> {
  readonly startTime: string | Absent
  readonly endTime: string | Absent
  /** Minutes after midnight. */
  readonly dailyStart: number | Absent
  readonly dailyEnd: number | Absent
  readonly maxDownloads: number | Absent
  readonly perMinute: number | Absent
  /** MB a second, for each process. */
  readonly bandwidth: number | Absent
}

/** Returns the limits of a plan with `absent` for each limit that is not set. */
export function extractRolloutLimits<Absent extends null | undefined>(
  plan: Partial<PlanLimits<null | undefined>>,
  absent: Absent,
): PlanLimits<Absent> {
  return {
    startTime: plan.startTime ?? absent,
    endTime: plan.endTime ?? absent,
    dailyStart: plan.dailyStart ?? absent,
    dailyEnd: plan.dailyEnd ?? absent,
    maxDownloads: plan.maxDownloads ?? absent,
    perMinute: plan.perMinute ?? absent,
    bandwidth: plan.bandwidth ?? absent,
  }
}

/** A release plan, possibly incomplete: the publish form describes the plan while a person fills it in. */
export interface Plan extends Partial<PlanLimits<undefined | null>> {
  readonly mode: number
  readonly percent?: number | undefined
  readonly stages: readonly {
    readonly percent?: number | undefined
    readonly successPercent?: number | undefined
    readonly errorPercent?: number | undefined
    readonly minReports?: number | undefined
    readonly minMinutes?: number | undefined
    readonly maxMinutes?: number | undefined
  }[]
  readonly tenants: readonly string[]
  readonly groups: readonly string[]
  readonly needConfirm?: boolean | undefined
  readonly autoRetries?: number | undefined
}

/** Formats hundredths of a percent: `1250` → `12.5%`. */
export const formatRolloutPercentage = (hundredths: number | undefined) =>
  hundredths === undefined ? '?' : `${hundredths / 100}%`

/** Formats minutes after midnight: `90` → `01:30`. */
export const formatClock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

/** Formats the daily window: `1380`, `300` → `23:00～次日 05:00`; empty without a window. */
export const formatDailyWindow = (start: number | null | undefined, end: number | null | undefined) =>
  start == null || end == null ? '' : `${formatClock(start)}～${end < start ? '次日 ' : ''}${formatClock(end)}`

/** Formats a duration: `90` → `1 小时 30 分钟`. */
export function formatMinuteDuration(minutes: number) {
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60]
  const parts = [days > 0 && `${days} 天`, hours > 0 && `${hours} 小时`, rest > 0 && `${rest} 分钟`].filter(Boolean)
  return parts.length > 0 ? parts.join(' ') : '0 分钟'
}

/** Describes the effect of publishing, one sentence a line. */
export function describePlan(plan: Plan, { needsAudit }: { needsAudit: boolean }): string[] {
  if (plan.mode === 1) return ['只有白名单中的设备会收到该版本，其他设备不受影响。', extraWords(plan)].filter(Boolean)
  const whom = [
    plan.tenants.length > 0 ? `${listText(plan.tenants)}的` : '所有客户的',
    plan.groups.length > 0 ? `属于分组${listText(plan.groups)}的` : '',
  ].join('')
  return [
    `${whom}适用设备${shareWords(plan)}；白名单设备始终可以收到。`,
    stageWords(plan),
    whenWords(plan),
    extraWords(plan),
    needsAudit ? '提交后由另一人审批，通过前按测试发布进行。' : '',
  ].filter(Boolean)
}

const listText = (names: readonly string[]) =>
  `「${names.slice(0, 3).join('」「')}」${names.length > 3 ? `等 ${names.length} 个` : ''}`

function shareWords({ stages, percent }: Plan) {
  if (stages.length > 0)
    return `按 ${stages.map((stage) => formatRolloutPercentage(stage.percent)).join(' → ')} 分 ${stages.length} 个阶段收到该版本`
  return percent === FULL_ROLLOUT
    ? '全部收到该版本'
    : `中固定的 ${formatRolloutPercentage(percent)} 收到该版本，提高比例时已收到的不变`
}

function stageWords({ stages }: Plan) {
  const [first] = stages
  if (!first) return ''
  const same = stages.every(
    ({ errorPercent, minReports, minMinutes, maxMinutes, successPercent }) =>
      errorPercent === first.errorPercent &&
      minReports === first.minReports &&
      minMinutes === first.minMinutes &&
      maxMinutes === first.maxMinutes &&
      successPercent === first.successPercent,
  )
  if (!same) return '每个阶段达到各自的门槛后自动进入下一阶段；失败率超限时自动暂停并通知相关人员。'
  return `每阶段至少 ${first.minReports ?? '?'} 个结果、观察 ${formatMinuteDuration(first.minMinutes ?? 0)}，成功率达到 ${first.successPercent ?? '?'}% 自动进入下一阶段；失败率达到 ${first.errorPercent ?? '?'}% 自动暂停并通知相关人员。结果不够时，设备都有结果或等满 ${formatMinuteDuration(first.maxMinutes ?? 0)}，即按已有结果评判，没有结果则暂停。`
}

function whenWords({ startTime, endTime, dailyStart, dailyEnd }: Plan) {
  const daily = formatDailyWindow(dailyStart, dailyEnd)
  const parts = [
    startTime ? `${startTime} 开始` : '',
    endTime ? `${endTime} 结束` : '',
    daily ? `每日 ${daily} 下发` : '',
  ].filter(Boolean)
  return parts.length > 0 ? `${parts.join('，')}。` : ''
}

function extraWords({ needConfirm, autoRetries, ...limits }: Plan) {
  const parts = [
    needConfirm ? '设备用户确认后才升级' : '',
    ...limitParts(limits),
    autoRetries ? `失败后自动重试 ${autoRetries} 次` : '',
  ].filter(Boolean)
  return parts.length > 0 ? `${parts.join('，')}。` : ''
}

/** Describes a stage by its number of devices; undefined while the number is unknown. */
export function describeStageSize(count: number | undefined, minReports: number | null | undefined) {
  if (count === undefined) return ''
  if (count === 0) return '没有设备，满最短观察时间后自动进入下一阶段'
  const isFew = minReports != null && count < minReports
  return `约 ${count} 台设备${isFew ? '，少于最少结果数，全部设备有结果后即评判' : ''}`
}

type Limits = Partial<Pick<PlanLimits<null | undefined>, 'perMinute' | 'maxDownloads' | 'bandwidth'>>
const limitParts = ({ perMinute, maxDownloads, bandwidth }: Limits) =>
  [
    perMinute ? `每分钟最多下发 ${perMinute} 台` : '',
    maxDownloads ? `最多 ${maxDownloads} 台同时下载` : '',
    bandwidth ? `每个服务进程的下载总带宽不超过 ${bandwidth} MB/s` : '',
  ].filter(Boolean)

/** Describes the limits for which devices of the release wait; empty without limits. */
export function describeLimits(limits: Limits) {
  const parts = limitParts(limits)
  return parts.length > 0 ? `已设限制：${parts.join('，')}。超出的设备排队等候，1～10 分钟后自动再来。` : ''
}

type LoggedPlan = Partial<PlanLimits<null | undefined>> & { readonly mode: number; readonly percent: number }
type LoggedStage = Pick<Plan['stages'][number], 'percent' | 'errorPercent' | 'minMinutes'>

/** Formats the fields of a plan for a list of changes: percentages in percent, one line for each stage. */
export const describePlanFields = <P extends LoggedPlan>(plan: P, stages: readonly LoggedStage[]) => ({
  ...plan,
  mode: RELEASE_MODE[plan.mode as keyof typeof RELEASE_MODE],
  percent: formatRolloutPercentage(plan.percent),
  ...('dailyStart' in plan && { dailyStart: plan.dailyStart == null ? null : formatClock(plan.dailyStart) }),
  ...('dailyEnd' in plan && { dailyEnd: plan.dailyEnd == null ? null : formatClock(plan.dailyEnd) }),
  stages: stages.map(
    ({ percent, errorPercent, minMinutes }) =>
      `${formatRolloutPercentage(percent)}（失败达 ${errorPercent}% 暂停，至少观察 ${formatMinuteDuration(minMinutes ?? 0)}）`,
  ),
})
