import { FULL_ROLLOUT } from '@oms/contract/upgrade/task-state.ts'

const MINUTE_MS = 60_000

/** Facts of a device that decide which version the device gets. */
export interface DeviceFacts {
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
  readonly enabled: boolean
  readonly isModelEnabled: boolean
  /** Installed version of the rule's firmware or package; null when never reported. */
  readonly verCode: number | null
  /** Slot in the fleet index; absent for a device outside this index. */
  readonly slot?: number
}

/** Devices of an allowlist or group. */
export interface DeviceSet {
  has(device: DeviceFacts): boolean
}

/** A version with all its conditions on devices and times. */
export interface Rule {
  readonly otaId: number
  readonly tenantId: number
  readonly modelId: number
  /** 1 firmware, 2 package. */
  readonly kind: number
  readonly packageName: string
  readonly verCode: number
  readonly verName: string
  readonly oldVerMin: number | null
  readonly oldVerMax: number | null
  /** True for version status 1. */
  readonly enabled: boolean
  /** Times in milliseconds. */
  readonly releaseAt: number
  readonly startAt: number | null
  readonly endAt: number | null
  /** Minutes after midnight in the console's time zone. The interval may cross midnight. */
  readonly dailyStart: number | null
  readonly dailyEnd: number | null
  /** 1 test release, 2 formal release. */
  readonly mode: number
  readonly state: number
  readonly stateReason: string
  /** Hundredths of a percent. */
  readonly percent: number
  readonly tenantIds: readonly number[]
  readonly groupIds: readonly number[]
  readonly allowlist: DeviceSet
  readonly groups: DeviceSet
  readonly needConfirm: boolean
  readonly maxDownloads: number | null
  readonly perMinute: number | null
  /** Limit in MB/s for all downloads of the release in each process. */
  readonly bandwidth: number | null
  readonly timeoutMinutes: number
  readonly autoRetries: number
}

/** A point in time: milliseconds since 1970, and minutes after midnight in the console's time zone. */
export interface ZonedTime {
  readonly ms: number
  readonly minute: number
}

/** Returns a function that converts times to a time zone. Caches the conversion for one minute. */
export function createZoneClock(timeZone: string): (now: Date | number) => ZonedTime {
  // Created on first use, because the first instance in a process takes longer than registering all routes.
  let format: Intl.DateTimeFormat | undefined
  let known = Number.NaN
  let minute = 0
  return (now) => {
    const ms = Number(now)
    const current = Math.floor(ms / MINUTE_MS)
    if (current !== known) {
      format ??= new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
      const [hours = '0', minutes = '0'] = format.format(ms).split(':')
      minute = Number(hours) * 60 + Number(minutes)
      known = current
    }
    return { ms, minute }
  }
}

/** Versions of the vendor reach devices of every tenant. */
const PLATFORM = 1
/** Values of RELEASE_STATE in the contract. */
const RUNNING = 0
const WAITING = 1
const REFUSED = 2
const PAUSED = 3

/**
 * Returns the rollout position of a device for a version: 0-9,999, constant, and different for each version. A
 * device within one percentage is within every higher percentage.
 */
export function computeRolloutPosition(deviceId: number, otaId: number): number {
  let hash = (deviceId ^ Math.imul(otaId, 0x9e3779b1)) >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 0
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) >>> 0
  return ((hash ^ (hash >>> 16)) >>> 0) % FULL_ROLLOUT
}

/** Rules that can refuse a version, in the order of evaluation. */
const RULE_TITLES = {
  device: '设备已启用',
  model: '型号适用且在用',
  version: '版本已启用',
  release: '已到发布时间',
  newer: '版本号高于设备当前版本',
  range: '在适用的旧版本范围内',
  tenant: '发布范围包含设备所属客户',
  state: '发布正在进行',
  white: '测试发布：在白名单中',
  group: '在发布的设备分组内',
  share: '在灰度比例内',
  window: '在发布时间段内',
} as const
export type RuleCode = keyof typeof RULE_TITLES

interface Verdict {
  readonly rule: RuleCode
  /** Name of the rule for a person. */
  readonly title: string
  readonly passed: boolean
  /** Verdict for a person, with the values that decided. */
  readonly words: string
}

/** True for a formal release. A release that waits for approval reaches only its allowlist. */
export const isFormalRelease = ({ mode, state }: Pick<Rule, 'mode' | 'state'>) =>
  mode === 2 && state !== WAITING && state !== REFUSED
const isHeld = ({ state }: Rule) => state >= PAUSED

interface Test {
  /** Returns whether the device passes the rule. Called for each poll and rule, so this code must not allocate. */
  readonly passes: (rule: Rule, device: DeviceFacts, now: ZonedTime) => boolean
  readonly words: (rule: Rule, device: DeviceFacts, now: ZonedTime, passed: boolean) => string
}

const UNKNOWN = '设备从未上报版本号'
const formatVersionCode = (verCode: number | null) => (verCode === null ? '未知' : String(verCode))
const share = (hundredths: number) => `${hundredths / 100}%`
const clockText = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

const TESTS: Readonly<Record<RuleCode, Test>> = {
  device: {
    passes: (_rule, { enabled }) => enabled,
    words: (_rule, _device, _now, passed) => (passed ? '设备已启用' : '设备或所属客户已停用'),
  },
  model: {
    passes: (rule, { modelId, isModelEnabled }) => isModelEnabled && modelId === rule.modelId,
    words: (rule, { modelId }, _now, passed) =>
      passed ? '型号一致且在用' : modelId === rule.modelId ? '设备型号已停用' : '版本不是为该设备的型号制作的',
  },
  version: {
    passes: ({ enabled }) => enabled,
    words: (_rule, _device, _now, passed) => (passed ? '版本已启用' : '版本未启用或已停用'),
  },
  release: {
    passes: ({ releaseAt }, _device, { ms }) => releaseAt <= ms,
    words: (_rule, _device, _now, passed) => (passed ? '已到发布时间' : '未到版本的发布时间'),
  },
  newer: {
    passes: (rule, { verCode }) => verCode === null || rule.verCode > verCode,
    words: (rule, { verCode }, _now, passed) =>
      verCode === null
        ? `${UNKNOWN}，视为更旧`
        : `目标版本 ${rule.verCode} ${passed ? '高于' : '不高于'}设备当前版本 ${verCode}`,
  },
  range: { passes: inRange, words: rangeWords },
  tenant: {
    passes: (rule, device) =>
      (rule.tenantId === PLATFORM || rule.tenantId === device.tenantId) &&
      (rule.tenantIds.length === 0 ||
        !isFormalRelease(rule) ||
        rule.tenantIds.includes(device.tenantId) ||
        rule.allowlist.has(device)),
    words: (rule, device, _now, passed) =>
      passed
        ? rule.tenantIds.length === 0 || !isFormalRelease(rule)
          ? '不限客户'
          : explainExemption(rule.tenantIds.includes(device.tenantId), '设备所属客户在发布范围内')
        : rule.tenantId === PLATFORM || rule.tenantId === device.tenantId
          ? '发布范围不包含设备所属客户'
          : '版本属于其他客户',
  },
  state: {
    passes: (rule) => !isHeld(rule),
    words: (rule, _device, _now, passed) => (passed ? stateWords(rule) : heldWords(rule)),
  },
  white: {
    passes: (rule, device) => isFormalRelease(rule) || rule.allowlist.has(device),
    words: (rule, device) =>
      rule.allowlist.has(device)
        ? '设备在白名单中'
        : isFormalRelease(rule)
          ? '正式发布，不限于白名单'
          : '设备不在白名单中',
  },
  group: {
    passes: (rule, device) =>
      rule.groupIds.length === 0 || !isFormalRelease(rule) || rule.groups.has(device) || rule.allowlist.has(device),
    words: (rule, device, _now, passed) =>
      rule.groupIds.length === 0 || !isFormalRelease(rule)
        ? '不限设备分组'
        : passed
          ? explainExemption(rule.groups.has(device), '设备在发布的分组内')
          : '设备不在发布的分组内',
  },
  share: {
    passes: (rule, device) =>
      rule.percent >= FULL_ROLLOUT ||
      !isFormalRelease(rule) ||
      computeRolloutPosition(device.deviceId, rule.otaId) < rule.percent ||
      rule.allowlist.has(device),
    words: shareWords,
  },
  window: {
    passes: (rule, device, now) => !isFormalRelease(rule) || inWindow(rule, now) || rule.allowlist.has(device),
    words: (rule, _device, now, passed) =>
      passed
        ? isFormalRelease(rule)
          ? explainExemption(inWindow(rule, now), '在发布时间段内')
          : '测试发布不限时间段'
        : closedWords(rule, now),
  },
}

const ORDER = Object.keys(RULE_TITLES) as RuleCode[]

/**
 * True when the device gets this version now. Called for each poll; written without a loop because a loop is slower.
 */
export function passesRule(rule: Rule, device: DeviceFacts, now: ZonedTime): boolean {
  return (
    TESTS.newer.passes(rule, device, now) &&
    TESTS.range.passes(rule, device, now) &&
    TESTS.white.passes(rule, device, now) &&
    TESTS.state.passes(rule, device, now) &&
    TESTS.tenant.passes(rule, device, now) &&
    TESTS.share.passes(rule, device, now) &&
    TESTS.group.passes(rule, device, now) &&
    TESTS.window.passes(rule, device, now) &&
    TESTS.device.passes(rule, device, now) &&
    TESTS.model.passes(rule, device, now) &&
    TESTS.version.passes(rule, device, now) &&
    TESTS.release.passes(rule, device, now)
  )
}

/** Returns the first rule that refuses the version; undefined when the device gets the version. */
export function findObstacle(rule: Rule, device: DeviceFacts, now: ZonedTime): RuleCode | undefined {
  return ORDER.find((code) => !TESTS[code].passes(rule, device, now))
}

/** Returns the verdict of every rule in the order of evaluation. Uses the code of device polls. */
export function listVerdicts(rule: Rule, device: DeviceFacts, now: ZonedTime): Verdict[] {
  return ORDER.map((code) => {
    const passed = TESTS[code].passes(rule, device, now)
    return { rule: code, title: RULE_TITLES[code], passed, words: TESTS[code].words(rule, device, now, passed) }
  })
}

/**
 * Returns the highest version that passes. Among equal version numbers, prefers the version of the device's tenant,
 * then the newer record.
 */
export function findBestRule<R extends Rule>(
  rules: readonly R[],
  device: DeviceFacts,
  now: ZonedTime,
  also: (rule: R) => boolean = () => true,
): R | undefined {
  let best: R | undefined
  for (const rule of rules)
    if ((!best || isBefore(rule, best, device)) && passesRule(rule, device, now) && also(rule)) best = rule
  return best
}

function isBefore(a: Rule, b: Rule, { tenantId }: DeviceFacts) {
  if (a.verCode !== b.verCode) return a.verCode > b.verCode
  const own = Number(a.tenantId === tenantId) - Number(b.tenantId === tenantId)
  return own === 0 ? a.otaId > b.otaId : own > 0
}

/** Both ends are inclusive. A device without a reported version matches only a range without bounds. */
function inRange({ oldVerMin, oldVerMax }: Rule, { verCode }: DeviceFacts) {
  if (verCode === null) return oldVerMin === null && oldVerMax === null
  return (oldVerMin === null || verCode >= oldVerMin) && (oldVerMax === null || verCode <= oldVerMax)
}

function rangeWords({ oldVerMin, oldVerMax }: Rule, { verCode }: DeviceFacts, _now: ZonedTime, passed: boolean) {
  if (oldVerMin === null && oldVerMax === null) return '适用任意旧版本'
  const range = `${oldVerMin ?? '不限'}～${oldVerMax ?? '不限'}`
  if (verCode === null) return `适用旧版本 ${range}，而${UNKNOWN}`
  return `设备当前版本 ${formatVersionCode(verCode)} ${passed ? '在' : '不在'}适用旧版本 ${range} 内`
}

function inWindow({ startAt, endAt, dailyStart, dailyEnd }: Rule, { ms, minute }: ZonedTime) {
  if ((startAt !== null && ms < startAt) || (endAt !== null && ms >= endAt)) return false
  if (dailyStart === null || dailyEnd === null || dailyStart === dailyEnd) return true
  return isMinuteBetween(minute, dailyStart, dailyEnd)
}

/** The interval may cross midnight. */
const isMinuteBetween = (minute: number, from: number, to: number) =>
  from > to ? minute >= from || minute < to : minute >= from && minute < to

/** The daily window that applies to a device, also after a task exists. */
interface DailyWindow {
  readonly isOpen: boolean
  /** Minutes until the window opens; 0 while open. */
  readonly opensIn: number
}

/** Returns the window; undefined when none applies, as for devices of the allowlist. */
export function findDailyWindow(rule: Rule, device: DeviceFacts, { minute }: ZonedTime): DailyWindow | undefined {
  const { dailyStart, dailyEnd } = rule
  if (!isFormalRelease(rule) || dailyStart === null || dailyEnd === null || dailyStart === dailyEnd) return undefined
  if (rule.allowlist.has(device)) return undefined
  const isOpen = isMinuteBetween(minute, dailyStart, dailyEnd)
  return { isOpen, opensIn: isOpen ? 0 : (dailyStart - minute + DAY_MINUTES) % DAY_MINUTES }
}
const DAY_MINUTES = 1440

const explainExemption = (passed: boolean, words: string) => (passed ? words : '白名单设备，不受此限')

function stateWords({ mode, state }: Rule) {
  if (mode === 2 && state === WAITING) return '正式发布待审批，暂按测试发布进行'
  if (mode === 2 && state === REFUSED) return '正式发布已驳回，按测试发布进行'
  return state === RUNNING ? '发布进行中' : '测试发布进行中'
}

const heldWords = ({ state, stateReason }: Rule) =>
  `${state === PAUSED ? '发布已暂停' : '发布已终止'}${stateReason ? `：${stateReason}` : ''}`

function shareWords(rule: Rule, device: DeviceFacts, _now: ZonedTime, passed: boolean) {
  if (!isFormalRelease(rule)) return '测试发布不按比例'
  if (rule.percent >= FULL_ROLLOUT) return '全部设备'
  const place = computeRolloutPosition(device.deviceId, rule.otaId)
  const words = `设备位于 ${share(place)} 处，灰度比例 ${share(rule.percent)}`
  return passed ? explainExemption(place < rule.percent, words) : words
}

function closedWords({ startAt, endAt, dailyStart, dailyEnd }: Rule, { ms }: ZonedTime) {
  if (startAt !== null && ms < startAt) return '未到发布的开始时间'
  if (endAt !== null && ms >= endAt) return '已过发布的结束时间'
  return `不在每日时间段 ${clockText(dailyStart ?? 0)}～${clockText(dailyEnd ?? 0)} 内`
}
