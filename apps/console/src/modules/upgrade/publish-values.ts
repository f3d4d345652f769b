import { STAGE_DEFAULTS, STANDARD_STAGES } from '@oms/contract/upgrade-release.ts'
import { FORMAL, type Release, RUNNING } from './release-state.tsx'
import type { Policy } from './use-survey.ts'

export interface StageValues {
  percent?: number | null
  successPercent?: number | null
  errorPercent?: number | null
  minReports?: number | null
  minMinutes?: number | null
  maxMinutes?: number | null
}

/** The sheet as the form holds it; emptied fields are null. */
export interface PublishValues {
  otaId: number
  rev: number
  mode: number
  /** Step by step, or one share at once. */
  staged: boolean
  percent?: number | null
  stages?: StageValues[]
  tenantIds?: number[]
  groupIds?: number[]
  startTime?: string | null
  endTime?: string | null
  dailyStart?: number | null
  dailyEnd?: number | null
  needConfirm?: boolean
  maxDownloads?: number | null
  perMinute?: number | null
  bandwidth?: number | null
  timeoutMinutes?: number | null
  autoRetries?: number | null
}

export const newStage = (percent: number): StageValues => ({ percent, ...STAGE_DEFAULTS })

/** What the sheet opens with: the stored plan, or the careful standard for a version nobody published yet. */
export function initialOf(release: Release): PublishValues {
  const { otaId, rev, mode, percent, stages, tenants, groups, submitTime, ...rest } = release
  const isNew = submitTime === null
  const stored = stages.map(({ seq: _seq, state: _state, ...stage }) => pick(stage))
  return {
    otaId,
    rev,
    mode: isNew ? FORMAL : mode,
    staged: isNew || stages.length > 0,
    percent,
    stages: stored.length > 0 ? stored : STANDARD_STAGES.map(newStage),
    tenantIds: tenants.map(({ id }) => id),
    groupIds: groups.map(({ id }) => id),
    startTime: rest.startTime,
    endTime: rest.endTime,
    dailyStart: rest.dailyStart,
    dailyEnd: rest.dailyEnd,
    needConfirm: rest.needConfirm,
    maxDownloads: rest.maxDownloads,
    perMinute: rest.perMinute,
    bandwidth: rest.bandwidth,
    timeoutMinutes: rest.timeoutMinutes,
    autoRetries: rest.autoRetries,
  }
}

const pick = ({ percent, successPercent, errorPercent, minReports, minMinutes, maxMinutes }: StageValues) => ({
  percent: percent ?? null,
  successPercent: successPercent ?? null,
  errorPercent: errorPercent ?? null,
  minReports: minReports ?? null,
  minMinutes: minMinutes ?? null,
  maxMinutes: maxMinutes ?? null,
})

/** The plan as the calls take it. */
export function policyOf(values: PublishValues): NonNullable<Policy> {
  const { mode, staged, percent, stages = [], tenantIds = [], groupIds = [], ...rest } = values
  const isStaged = mode === FORMAL && staged
  return {
    mode: mode as never,
    percent: isStaged || mode !== FORMAL ? 10_000 : (percent as number),
    stages: isStaged ? stages.map((stage) => pick(stage) as never) : [],
    tenantIds,
    groupIds,
    startTime: rest.startTime ?? undefined,
    endTime: rest.endTime ?? undefined,
    dailyStart: rest.dailyStart ?? undefined,
    dailyEnd: rest.dailyEnd ?? undefined,
    needConfirm: rest.needConfirm ?? false,
    maxDownloads: rest.maxDownloads ?? undefined,
    perMinute: rest.perMinute ?? undefined,
    bandwidth: rest.bandwidth ?? undefined,
    timeoutMinutes: (rest.timeoutMinutes ?? undefined) as never,
    autoRetries: (rest.autoRetries ?? undefined) as never,
  }
}

/** Does the release already go to devices beyond its white list? */
export const isOut = ({ mode, state, submitTime }: Release) =>
  mode === FORMAL && state === RUNNING && submitTime !== null
