import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, dateTime, id, note, optional, reference, rev, search, textLine, whole } from '../core/fields.ts'
import { FULL_ROLLOUT, RELEASE_MODE, RELEASE_STATE, STAGE_STATE } from './task-state.ts'

export const MAX_STAGES = 10
/** Default number of devices above which a release requires approval by a second account. */
export const TWO_PERSON_ABOVE = 100
/** Initial rollout percentage of a formal release, in hundredths of a percent. */
export const STANDARD_STAGES = [100, 1000, 5000, FULL_ROLLOUT] as const
export const STAGE_DEFAULTS = {
  successPercent: 95,
  errorPercent: 5,
  minReports: 20,
  minMinutes: 30,
  maxMinutes: 1440,
} as const

const DAY_MINUTES = 1440
const share = (title: string) => whole(title, 1, FULL_ROLLOUT, `${title}最多两位小数`)
const minute = (title: string) => optional(whole(title, 0, DAY_MINUTES - 1))

export const StageInput = z.object({
  percent: share('设备比例'),
  successPercent: whole('成功率门槛', 1, 100).default(STAGE_DEFAULTS.successPercent).meta({ title: '成功率门槛' }),
  errorPercent: whole('失败率门槛', 1, 100).default(STAGE_DEFAULTS.errorPercent).meta({ title: '失败率门槛' }),
  minReports: whole('最少结果数', 1, 100_000).default(STAGE_DEFAULTS.minReports).meta({ title: '最少结果数' }),
  minMinutes: whole('最短观察时间', 0, 43_200).default(STAGE_DEFAULTS.minMinutes).meta({ title: '最短观察时间' }),
  maxMinutes: whole('最长等待时间', 1, 43_200).default(STAGE_DEFAULTS.maxMinutes).meta({ title: '最长等待时间' }),
})

const otaId = reference('版本')
const several = (title: string, max: number) =>
  z.array(id, `${title}不正确`).max(max, `最多选择${max}个${title}`).default([]).meta({ title })

const releaseFields = {
  mode: choice('发布方式', RELEASE_MODE),
  percent: share('设备比例').default(FULL_ROLLOUT).meta({ title: '设备比例' }),
  tenantIds: several('客户', 200),
  groupIds: several('设备分组', 200),
  startTime: optional(dateTime('开始时间')),
  endTime: optional(dateTime('结束时间')),
  dailyStart: minute('每日开始时间'),
  dailyEnd: minute('每日结束时间'),
  needConfirm: z.boolean('请选择是否需要用户确认').default(false).meta({ title: '需要设备用户确认' }),
  maxDownloads: optional(whole('同时下载上限', 1, 100_000)),
  perMinute: optional(whole('每分钟下发上限', 1, 1_000_000)),
  /** Limit in MB/s for all downloads of the version in each process. */
  bandwidth: optional(whole('下载带宽上限', 1, 10_000)),
  timeoutMinutes: whole('任务超时', 1, 43_200).default(1440).meta({ title: '任务超时' }),
  autoRetries: whole('自动重试次数', 0, 5).default(0).meta({ title: '自动重试次数' }),
  stages: z.array(StageInput, '阶段不正确').max(MAX_STAGES, `阶段不能超过${MAX_STAGES}个`).default([]),
}
/** Fields of a release that a user sets when publishing. */
export const ReleaseInput = z.object(releaseFields)

type Release = z.output<typeof ReleaseInput>
const coherent = (release: Release, issues: z.RefinementCtx) => {
  const say = (path: (string | number)[], message: string) => issues.addIssue({ code: 'custom', path, message })
  const { startTime, endTime, dailyStart, dailyEnd, stages } = release
  if (startTime && endTime && endTime <= startTime) say(['endTime'], '结束时间应晚于开始时间')
  if ((dailyStart === undefined) !== (dailyEnd === undefined)) say(['dailyEnd'], '每日时间段的开始和结束须同时填写')
  else if (dailyStart !== undefined && dailyStart === dailyEnd) say(['dailyEnd'], '每日时间段的开始和结束不能相同')
  stages.forEach(({ percent, minMinutes, maxMinutes }, at) => {
    if (maxMinutes < minMinutes) say(['stages', at, 'maxMinutes'], '最长等待时间不能短于最短观察时间')
    const before = stages[at - 1]
    if (before && percent <= before.percent) say(['stages', at, 'percent'], '设备比例应大于上一阶段')
  })
}

const counted = z.object({ id: z.int(), name: z.string(), count: z.int() })
/** Devices that would get the version now. */
export const DryRunResult = z.object({
  /** Devices that get the version at their next poll. */
  count: z.int(),
  /** Devices of the version's model in the scope of its tenant. */
  total: z.int(),
  /** For the other devices: the first rule that excludes them, with counts. */
  obstacles: z.array(z.object({ rule: z.string(), title: z.string(), count: z.int() })),
  sample: z.array(
    z.object({
      deviceId: z.int(),
      sn: z.string(),
      tenantName: z.string(),
      verCode: z.int().nullable(),
      place: z.number(),
    }),
  ),
  versions: z.array(z.object({ verCode: z.int().nullable(), count: z.int() })),
  tenants: z.array(counted),
  groups: z.array(counted),
  models: z.array(counted),
  /** Devices per stage, if all stages were passed. */
  stages: z.array(z.object({ percent: z.int(), count: z.int() })),
})

export const Stage = z.object({
  seq: z.int(),
  percent: z.int().meta({ title: '设备比例' }),
  successPercent: z.int(),
  errorPercent: z.int(),
  minReports: z.int(),
  minMinutes: z.int(),
  maxMinutes: z.int(),
  state: z.int().meta({ title: '阶段状态', labels: STAGE_STATE }),
  startTime: z.string().nullable(),
  judgeTime: z.string().nullable(),
  /** Results since the stage began; for an evaluated stage, the results of its evaluation. */
  succeeded: z.int(),
  failed: z.int(),
})
export const StateCount = z.object({ state: z.int(), count: z.int() })

export const Release = z.object({
  otaId: z.int(),
  verCode: z.int().meta({ title: '版本号' }),
  verName: z.string().meta({ title: '版本名称' }),
  modelId: z.int(),
  modelName: z.string().meta({ title: '设备型号' }),
  packageName: z.string().meta({ title: '包名' }),
  kind: z.int(),
  /** State of the version: 0 draft, 1 enabled, 2 disabled. */
  status: z.int(),
  releaseDate: z.string().meta({ title: '发布日期' }),
  oldVerMin: z.int().nullable(),
  oldVerMax: z.int().nullable(),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '所属客户' }),
  mode: z.int().meta({ title: '发布方式', labels: RELEASE_MODE }),
  state: z.int().meta({ title: '发布状态', labels: RELEASE_STATE }),
  stateReason: z.string().meta({ title: '原因' }),
  /** False when the release also affects tenants outside the caller's data scope; the release is then read-only. */
  canSteer: z.boolean(),
  percent: z.int().meta({ title: '设备比例' }),
  tenants: z.array(z.object({ id: z.int(), name: z.string() })),
  groups: z.array(z.object({ id: z.int(), name: z.string() })),
  startTime: z.string().nullable(),
  endTime: z.string().nullable(),
  dailyStart: z.int().nullable(),
  dailyEnd: z.int().nullable(),
  needConfirm: z.boolean(),
  maxDownloads: z.int().nullable(),
  perMinute: z.int().nullable(),
  bandwidth: z.int().nullable().meta({ title: '下载带宽上限' }),
  timeoutMinutes: z.int(),
  autoRetries: z.int(),
  /** A change of the approved release that waits for approval, with its differences as text. */
  pending: z.object({ percent: z.int(), lines: z.array(z.string()) }).nullable(),
  submitByName: z.string().meta({ title: '提交人' }),
  submitTime: z.string().nullable().meta({ title: '提交时间' }),
  auditByName: z.string().meta({ title: '审批人' }),
  auditTime: z.string().nullable().meta({ title: '审批时间' }),
  auditRemark: z.string().meta({ title: '审批意见' }),
  stages: z.array(Stage),
  /** Task counts by state, from the same rows as the task list. */
  counts: z.array(StateCount),
  whites: z.int().meta({ title: '白名单设备数' }),
  /** Number of devices that report this version. */
  installed: z.int().meta({ title: '已安装设备数' }),
  /** True when publishing requires approval by a second account. */
  needsAudit: z.boolean(),
  /** Reason why the caller may not approve the pending change; empty when the caller may. */
  auditBlock: z.string(),
  alarms: z.array(z.object({ id: z.int(), kind: z.int(), message: z.string(), createTime: z.string() })),
  rev: z.int(),
})

const one = z.object({ otaId })
const done = z.object({ state: z.int(), rev: z.int() })
const reason = note('原因', 200)

/** Releases: which devices get an enabled version, and when. */
export const otaRelease = {
  get: {
    method: 'GET',
    path: '/api/v1/upgrade/release/:otaId',
    access: 'upgrade:ota:query',
    summary: '发布策略、阶段、任务计数',
    input: one,
    result: Release,
  },
  groups: {
    method: 'GET',
    path: '/api/v1/upgrade/release/group/list',
    access: 'upgrade:ota:list',
    summary: '版本可达范围内的设备分组，按名称查找，最多 100 条',
    input: z.object({ otaId, keyword: search('分组名称', 30) }),
    result: z.array(z.object({ id: z.int(), name: z.string(), tenantName: z.string() })),
  },
  dryRun: {
    method: 'POST',
    path: '/api/v1/upgrade/release/dryRun',
    access: 'upgrade:ota:query',
    summary: '预演：按填写的发布策略（不填则按已保存的）现在哪些设备会收到；不改变任何数据',
    log: false,
    body: 'json',
    input: z.object({ otaId, policy: z.object(releaseFields).superRefine(coherent).optional() }),
    result: DryRunResult,
  },
  why: {
    method: 'GET',
    path: '/api/v1/upgrade/release/why',
    access: 'upgrade:ota:query',
    summary: '某台设备为什么会（不会）收到该版本：逐条规则',
    input: z.object({ otaId, sn: textLine('序列号', 64) }),
    result: z.object({
      sn: z.string(),
      passed: z.boolean(),
      /** Result for the device at its next poll, as text. */
      words: z.string(),
      rules: z.array(z.object({ rule: z.string(), title: z.string(), passed: z.boolean(), words: z.string() })),
    }),
  },
  publish: {
    method: 'POST',
    path: '/api/v1/upgrade/release/publish',
    access: 'upgrade:ota:publish',
    title: '发布固件版本',
    kind: 'edit',
    body: 'json',
    input: z.object({ otaId, rev, ...releaseFields }).superRefine(coherent),
    result: done,
    done: '发布成功',
  },
  share: {
    method: 'POST',
    path: '/api/v1/upgrade/release/share',
    access: 'upgrade:ota:publish',
    title: '调整发布比例',
    kind: 'edit',
    input: z.object({ otaId, percent: share('设备比例') }),
    result: done,
    done: '比例已调整',
  },
  pause: {
    method: 'POST',
    path: '/api/v1/upgrade/release/pause',
    access: 'upgrade:ota:publish',
    title: '暂停发布',
    kind: 'edit',
    input: z.object({ otaId, reason }),
    result: done,
    done: '发布已暂停',
  },
  resume: {
    method: 'POST',
    path: '/api/v1/upgrade/release/resume',
    access: 'upgrade:ota:publish',
    title: '继续发布',
    kind: 'edit',
    input: one,
    result: done,
    done: '发布已继续',
  },
  stop: {
    method: 'POST',
    path: '/api/v1/upgrade/release/stop',
    access: 'upgrade:ota:publish',
    title: '终止发布',
    kind: 'edit',
    input: z.object({ otaId, reason }),
    result: z.object({ ...done.shape, cancelled: z.int(), cancelling: z.int() }),
    done: '发布已终止',
  },
  skip: {
    method: 'POST',
    path: '/api/v1/upgrade/release/skip',
    access: 'upgrade:ota:publish',
    title: '跳过发布阶段',
    kind: 'edit',
    input: z.object({ otaId, seq: whole('阶段', 1, MAX_STAGES) }),
    result: done,
    done: '已进入下一阶段',
  },
  audit: {
    method: 'POST',
    path: '/api/v1/upgrade/release/audit',
    access: 'upgrade:ota:audit',
    title: '审批固件发布',
    kind: 'edit',
    input: z
      .object({ otaId, rev, pass: choice('审批结果', { 0: '驳回', 1: '通过' }), remark: note('审批意见', 200) })
      .superRefine(({ pass, remark }, issues) => {
        if (pass === 0 && !remark) issues.addIssue({ code: 'custom', path: ['remark'], message: '请输入驳回的原因' })
      }),
    result: done,
    done: '审批完成',
  },
  closeAlarm: {
    method: 'POST',
    path: '/api/v1/upgrade/release/alarm/close/:id',
    access: 'upgrade:ota:publish',
    title: '处理升级告警',
    kind: 'edit',
    input: z.object({ id }),
    result: z.null(),
    done: '告警已处理',
  },
} as const satisfies Contract
